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

/// What a measurement tells its caller as it goes on, by the thread that called it. Each may be empty.
/// `begin`, `point_end` and `end` may throw, which ends the measurement; `say` and `progress` must not.
struct Hooks {
  /// Set by any thread or signal handler: what is in flight is ended, and what was measured is the result.
  const std::atomic<bool>* stop = nullptr;
  /// A line for people about what takes long: "waiting for the server …".
  std::function<void(const std::string& line)> say;
  /// The targets are known and nothing is measured yet. `directory`: where it is saved; empty: nowhere.
  std::function<void(const RunResult& planned, const std::string& directory)> begin;
  /// Five times a second, and once more with Stage::ended at each session's end.
  std::function<void(const ProgressFigures&)> progress;
  /// After each load point with all that is measured so far; true: no further points.
  std::function<bool(const RunResult& so_far)> point_end;
  /// The result with all its records, in no order, as they are saved. Called also where saving failed.
  std::function<void(const RunResult&, std::span<const RequestRecord>)> end;
};

/// Blocks until the last point has ended; one call at a time in a process. Requests that fail are data in the
/// result. Throws Error, and nothing else, for what keeps it from measuring: UsageError for a plan that
/// cannot be carried out, EnvironmentError for a server that cannot be reached or a folder that cannot be
/// written, Error with `interrupted` where `stop` was set before anything was measured.
RunResult measure(const Plan& plan, const Hooks& hooks = {});

/// What the result comes to (docs/exit-codes.md): the first of 130, 3, 4, 1, 5, 0 that holds.
ExitCode exit_code_of(const RunResult& run);

}  // namespace infermeter
