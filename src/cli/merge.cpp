#include "cli/merge.hpp"

#include "analysis/runs/merge_shards.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/report.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"

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

MergeRequest merge_request(const Invocation& invocation) {
  const Values values = invocation.values();
  MergeRequest request;
  request.directories = values.list("directories");
  request.out = values.text("out");
  const std::string example(invocation.examples);
  if (request.directories.empty()) throw UsageError("merge: names no folders of shards", example);
  if (request.out.empty()) throw UsageError("merge: names no folder for the result", example);
  request.allow_missing = values.flag("allow-missing");
  request.format = format_of(values);
  request.wide = values.flag("wide");
  return request;
}

ExitCode merge_command(const MergeRequest& request) {
  save(read_and_merge(request), request.out);
  // The verdict of its asserts is shown, and is the exit code of `report`; the merge itself went well.
  report_command({.directory = request.out, .format = request.format, .wide = request.wide});
  return ExitCode::ok;
}

}  // namespace infermeter
