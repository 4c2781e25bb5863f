#include "cli/saved.hpp"

#include "cli/options/plan_values.hpp"
#include "run/saved_results.hpp"

namespace infermeter {
MergeRequest merge_request(const Invocation& invocation) {
  const Values values = invocation.values();
  MergeRequest request;
  request.directories = values.list("directories");
  request.out = values.text("out");
  const std::string example(invocation.examples);
  if (request.directories.empty()) throw UsageError("merge: no shard folders given", example);
  if (request.out.empty()) throw UsageError("merge: no folder for the result given", example);
  request.allow_missing = values.flag("allow-missing");
  request.format = format_of(values);
  request.wide = values.flag("wide");
  request.page = !values.flag("no-report");
  return request;
}

ExitCode merge_command(const MergeRequest& request) {
  merge_saved(request.directories, request.allow_missing, request.out);
  // The verdict of its assertions is shown, and becomes the exit code of `report`; the merge itself
  // succeeded.
  report_command(
      {.directory = request.out, .format = request.format, .wide = request.wide, .page = request.page});
  return ExitCode::ok;
}

}  // namespace infermeter
