// `infermeter run`: measures a target, from preflight to verdict, or shows what would be measured.
#pragma once

#include <string>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct RunRequest {
  Plan plan;
  bool dry_run = false;
  unsigned verbosity = 0;             // -v: 1, -vv: 2
  std::string log_file;               // empty: none
  bool page = true;                   // report.html beside the result
  bool quiet = false;                 // plan.output.progress is then `none` too
  std::vector<std::string> warnings;  // printed before the run begins
};

/// Throws UsageError for anything wrong; no error, and no field except the secret ones, contains a key or
/// header value. Reads the files that options name and nothing else.
RunRequest run_request(const Invocation& invocation);

/// -q, -v, --log and --no-report, of a run or a gate.
void read_what_to_say(const Values& values, RunRequest& request);

/// What the user of a run or gate should know before it starts: files that disagree, variables that set
/// nothing, a key that is not sent.
std::vector<std::string> warnings_of(const Settings& settings, const Plan& plan, const Variables& variables);

/// What preflight changed for each target: in the header of a table, or said on stderr where that is not
/// shown.
std::vector<std::string> target_warnings(const RunResult& planned);

/// Throws Error if it cannot measure; results measured so far are saved and printed before it returns.
ExitCode run_command(const RunRequest& request);

/// `run --dry-run`, without any network traffic: the plan as lines of text, then one whole request body of
/// each class as it would be sent. Secrets are masked. Reads data files as a run does. Throws UsageError for
/// errors that only this shows: a schedule too long, a bad line, an --extra-body that is not an object.
std::string dry_run_text(const Plan& plan);

}  // namespace infermeter
