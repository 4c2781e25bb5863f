// The setup in measure() and gate() before the targets are prepared. Private to src/run.
#pragma once

#include <signal.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time_limit.hpp"
#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/run/measure.hpp"
#include "io/files/result_folder.hpp"
#include "io/host/client_limit.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

/// The plan with defaults for what a caller may omit: a duration of 30 s, a nonce for this run. Throws
/// UsageError for a plan without a target, class or load point.
Plan completed(const Plan& plan);
/// The limit of a command that begins now.
TimeLimit limit_of(const Plan& plan, const std::atomic<bool>& stop);
/// The hooks, with a default for each empty one.
Hooks completed(const Hooks& hooks);

/// Writing to a connection that the server has closed, or beyond the limit of file sizes, fails with EPIPE or
/// EFBIG in this thread and in those that it starts, instead of ending the program (SIGPIPE, SIGXFSZ); the
/// process's own handlers stay.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{}, pending_{};
};

/// Returns the result of `work`; exceptions other than Error become EnvironmentError.
template <typename Work>
auto throwing_errors_only(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw EnvironmentError(failure_words(error));
  }
}

/// The built-in simulator as the measured server: runs in this process and ends with this object.
class MeasuredSimulator {
 public:
  /// Starts it, if the plan asks for it, and puts its URL into every target. Throws Error.
  explicit MeasuredSimulator(Plan& plan);
  /// Passes on the simulator's warning, in the caller's thread.
  void tell(const Say& warn);

 private:
  std::mutex mutex_;  // guards `warning_`
  std::string warning_;
  std::unique_ptr<sim::Server> server_;
};

/// The data files of the plan's classes, checked; `warn` hears of lines that are skipped.
std::vector<ClassData> open_all_data(const Plan& plan, const Say& warn);

/// results/<UTC time>-<name>, with a number appended where another run began within the same second. Shards,
/// which do so, have their rank in it.
ResultFolder new_folder(const std::string& name, Shard shard = {});

}  // namespace infermeter
