#include "cli/merge.hpp"

#include "analysis/runs/merge_shards.hpp"
#include "cli/report.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "report/json/result_json.hpp"
#include "run/saved_run.hpp"

namespace infermeter {
namespace {

MergedRun read_and_merge(const MergeRequest& request) {
  std::vector<ShardRun> shards;
  for (const auto& directory : request.directories) {
    SavedRun saved = read_saved_run(directory);
    shards.push_back({directory, std::move(saved.run), std::move(saved.records)});
  }
  return merge_shards(std::move(shards), request.allow_missing);
}

void save(const MergedRun& merged, const std::string& directory) {
  const ResultFolder folder(directory);
  const RecordsFile records(folder.records_path(), merged.records);
  folder.write_result(result_to_json(merged.run));
}

}  // namespace

ExitCode merge_command(const MergeRequest& request) {
  save(read_and_merge(request), request.out);
  // What its asserts come to is shown, and is the exit code of `report`: to merge was all that was asked.
  report_command({.directory = request.out, .format = request.format, .wide = request.wide});
  return ExitCode::ok;
}

}  // namespace infermeter
