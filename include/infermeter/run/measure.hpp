// A whole measurement as one call: from a plan to its result, with preflight, calibration, load points,
// saving and verdict. Reads no environment variable, prints nothing, changes no signal handler and no limit
// of the process.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/progress.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

class Log;

/// Callbacks of a measurement, called by the thread that called it. Each may be empty. `begin`, `point_end`
/// and `end` may throw, which ends the measurement; `say`, `warn` and `progress` must not.
struct Hooks {
  /// May be set by any thread or signal handler: requests in flight are ended, and the result is what was
  /// measured.
  const std::atomic<bool>* stop = nullptr;
  /// A message for people about a step that takes long: "waiting for the server …".
  std::function<void(const std::string& line)> say;
  /// What changes how the figures are to be read: "data.jsonl: 3 bad lines are skipped …". Empty: `say`.
  std::function<void(const std::string& line)> warn;
  /// The targets are known and nothing is measured yet. `directory`: where it is saved; empty: nowhere.
  std::function<void(const RunResult& planned, const std::string& directory)> begin;
  /// Five times a second, and once more with Stage::ended at the end of each session.
  std::function<void(const ProgressFigures&)> progress;
  /// After each load point with everything measured so far; true: no further points.
  std::function<bool(const RunResult& so_far)> point_end;
  /// The result with all its records, in no order, as saved. Called even if saving failed.
  std::function<void(const RunResult&, std::span<const RequestRecord>)> end;
  /// The program's own (src/base/log); null: nothing is logged.
  Log* log = nullptr;
};

/// Blocks until the last point has ended; one call at a time in a process. Requests that fail are data in the
/// result. Throws only Error, when it cannot measure: UsageError for a plan that cannot be carried out,
/// EnvironmentError for a server that cannot be reached or a folder that cannot be written, Error with
/// `interrupted` if `stop` was set, or Plan::max_time over, before anything was measured.
RunResult measure(const Plan& plan, const Hooks& hooks = {});

/// The exit code of the result (docs/exit-codes.md): the first of 130, 3, 4, 1, 5, 0 that applies; a broken
/// assertion (1) comes before 3 where half or more of the requests failed, but not all.
ExitCode exit_code_of(const RunResult& run);

}  // namespace infermeter
