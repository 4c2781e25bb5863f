// What measure() and gate() set up before their targets are looked at. Private to src/run.
#pragma once

#include <signal.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/run/measure.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

/// The plan with what a caller may leave out: a length of 30 s, a nonce of this run. Throws UsageError for
/// one without a target, class or load point.
Plan completed(const Plan& plan);
/// The hooks with none left empty.
Hooks completed(const Hooks& hooks);

/// A connection that the server has closed fails with EPIPE in this thread and in those that it starts,
/// instead of ending the program: the process's own handler is left alone.
class BlockedSigpipe {
 public:
  BlockedSigpipe();
  ~BlockedSigpipe();
  BlockedSigpipe(const BlockedSigpipe&) = delete;
  BlockedSigpipe& operator=(const BlockedSigpipe&) = delete;

 private:
  sigset_t before_{};
  bool was_pending_ = false;
};

/// What `work` returns; an exception of another kind leaves it as EnvironmentError.
template <typename Work>
auto throwing_errors_only(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw EnvironmentError(error.what());
  }
}

/// The built-in simulator where it is what is measured: a server of this process, ended with this.
class MeasuredSimulator {
 public:
  /// Starts it, if the plan asks for it, and puts its URL into every target. Throws Error.
  explicit MeasuredSimulator(Plan& plan);
  /// Says what it had to warn of, by the caller's thread.
  void tell(const Say& say);

 private:
  std::mutex mutex_;  // of `warning_`
  std::string warning_;
  std::unique_ptr<sim::Server> server_;
};

/// The data files of the plan's classes, checked.
std::vector<ClassData> open_all_data(const Plan& plan, const Say& say);

/// results/<UTC time>-<name>, with a number behind it where two runs begin within one second. Shards, which
/// do, have their rank in it.
std::string free_directory(const std::string& name, Shard shard = {});

}  // namespace infermeter
