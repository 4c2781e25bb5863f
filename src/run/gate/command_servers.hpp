// The two servers of a gate on one machine: started in turn by the user's commands, polled until ready, ended
// with all processes that they started. Private to src/run.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/prepare/preflight.hpp"
#include "io/process/child_process.hpp"
#include "model/secrets/secrets.hpp"
#include "run/measured_run.hpp"

namespace infermeter {

class CommandServers : public TargetServers {
 public:
  /// Logs go to `directory`: baseline-1.log, candidate-1.log …, each of `log_limit` bytes at most. `limit` is
  /// the command's.
  CommandServers(const std::array<std::string, 2>& commands, const Plan& plan, std::string directory,
                 std::uint64_t log_limit, const TimeLimit& limit, const Say& say);
  ~CommandServers() override;

  /// Set by the user's interrupt, and when a server ends by itself: stops the wait for it, or its
  /// measurement.
  const std::atomic<bool>& stop() const { return stop_; }

  void up(std::uint32_t target, const std::function<void()>& look) override;
  void down(std::uint32_t target) override;

 private:
  void watch(const std::stop_token& end);
  void end_process(std::uint32_t target);
  void refuse_taken_port(const Target& target) const;
  bool has_ended();
  [[noreturn]] void fail(std::uint32_t target, const std::string& what);

  const std::array<std::string, 2>& commands_;
  const Plan& plan_;
  std::string directory_;
  std::uint64_t log_limit_;
  const TimeLimit limit_;
  const Say& say_;
  Secrets secrets_;
  std::atomic<bool> stop_{false};
  std::array<std::uint32_t, 2> starts_{};
  std::string log_;

  std::mutex mutex_;  // guards what the watching thread reads
  std::optional<ServerProcess> process_;
  bool up_ = false, ready_ = false, died_ = false;  // up: from its start until it is ended
  bool went_on_ = false;                            // in the background, after its command had failed
  std::jthread watcher_;
};

}  // namespace infermeter
