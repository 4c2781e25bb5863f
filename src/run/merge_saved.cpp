#include "run/merge_saved.hpp"

#include <utility>

#include "analysis/runs/merge_shards.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"

namespace infermeter {

void merge_saved(const std::vector<std::string>& directories, bool allow_missing, const std::string& out) {
  std::vector<ShardRun> shards;
  for (const auto& directory : directories) {
    SavedRun saved = read_saved_run(directory);
    shards.push_back({directory, std::move(saved.run), std::move(saved.records)});
  }
  const MergedRun merged = merge_shards(std::move(shards), allow_missing);
  const ResultFolder folder(out);
  const RecordsFile records(folder.records_path(), merged.records);
  folder.write_result(result_to_json(merged.run));
}

}  // namespace infermeter
