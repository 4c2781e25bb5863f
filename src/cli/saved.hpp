// The commands on saved results: `infermeter report`, `compare` and `merge`.
#pragma once

#include <string>
#include <vector>

#include "cli/options/plan_values.hpp"
#include "cli/options/values.hpp"
#include "cli/output.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `infermeter report DIR`: a saved run or verdict in any format, on stdout or to a file.
struct ReportOptions {
  std::string directory;
  Format format;
  bool wide = false;
  Asserts asserts;            // none: the assertions of the run
  std::string against, sort;  // a target and a figure; empty: those of the run
  bool plot = false;          // charts below the table
  std::string file;           // --out; empty: stdout
  bool page = false;          // write the page beside the result, too
};
ReportOptions report_request(const Invocation& invocation);

/// The whole output. Throws EnvironmentError if the folder holds neither a readable run nor a verdict.
std::string render_report(const ReportOptions& options, const Terminal& terminal);

/// Prints it. Returns 0 without assertions; with --assert 1 or 5 as the verdict says, or 4 for an
/// untrustworthy run.
ExitCode report_command(const ReportOptions& options);

/// `infermeter compare A B [C…]`: saved results side by side on stdout.
struct CompareRequest {
  std::vector<std::string> paths;  // ≥ 2, the reference (--against) first
  std::string format = "table";
  bool wide = false;
};
CompareRequest compare_request(const Invocation& invocation);

/// The whole output. Throws EnvironmentError that names a file that cannot be read.
std::string render_compare(const CompareRequest& request, const Terminal& terminal);

/// Prints it. A difference is not a failure: use a gate for that.
ExitCode compare_command(const CompareRequest& request);

/// `infermeter merge DIR… -o OUT`: the shards of one run as one result, saved in a new folder and printed on
/// stdout.
struct MergeRequest {
  std::vector<std::string> directories;
  std::string out;
  bool allow_missing = false;
  Format format;
  bool wide = false;
  bool page = true;
};
MergeRequest merge_request(const Invocation& invocation);

/// Writes nothing if they do not belong together or one is missing (merge_shards says which).
ExitCode merge_command(const MergeRequest& request);

}  // namespace infermeter
