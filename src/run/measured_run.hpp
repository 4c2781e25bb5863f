// Executes one `run`, from a plan with known targets to a complete result: point after point, each with its
// own nonce, hooks and cooldown, saved as it progresses. Private to src/run.
//
// A gate is such a run too: its points are pairs, in which each target has a block (TargetOrder::pairs).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time_limit.hpp"
#include "engine/session/session.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/run/measure.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "io/process/masked_output.hpp"
#include "run/run_targets.hpp"
#include "run/scrapes.hpp"

namespace infermeter {

/// Servers that exist only while their target is measured.
class TargetServers {
 public:
  virtual ~TargetServers() = default;
  /// Starts the target's server and passes its preparation to `look`, which returns when the server is ready.
  /// Throws EnvironmentError if it is not.
  virtual void up(std::uint32_t target, const std::function<void()>& look) = 0;
  /// Ends it, with all processes that it started. Throws EnvironmentError if it had already ended by itself.
  virtual void down(std::uint32_t target) = 0;
};

class MeasuredRun {
 public:
  /// Prepares and calibrates the targets; with `servers`, each target only at its first block. The hooks must
  /// be complete (completed()). The limit is that of the whole command. Throws Error.
  MeasuredRun(const Plan& plan, std::vector<ClassData> data, const Hooks& hooks, const TimeLimit& limit,
              TargetServers* servers = nullptr);

  /// What is known before the first request: for the header and the first result.json.
  const RunResult& result() const { return result_; }
  /// All records so far, in no order.
  const std::vector<RequestRecord>& records() const { return records_; }
  std::span<const PreparedTarget> prepared() const { return targets_.prepared(); }

  /// Measures all points into `folder`, rewriting its result.json before and after each; null: nothing is
  /// saved. Where that fails once requests are sent, the run goes on: the last files report it.
  void measure(ResultFolder* folder);
  /// Which records could not be written and why, or empty.
  std::string lost_words() const;

 private:
  void describe();
  void describe_target(std::uint32_t target);
  std::string nonce_of(std::uint32_t point, std::uint32_t target) const;
  bool over();
  void note_limit_of_command();
  bool before(std::uint32_t point);
  bool primed(std::uint32_t target, const std::vector<Lane>& lanes);
  bool run_point_command(std::string_view option, const std::string& command, std::uint32_t point);
  Instant start_instant() const;
  void measure_points();
  bool measured_at(std::uint32_t point);
  void measure_point_at(std::uint32_t point);
  void measure_block(std::uint32_t point, std::vector<std::uint32_t> targets);
  void save();
  void save_if_possible();
  void conclude_points();
  void note_exhaustion();
  std::string turn_label(std::uint32_t point, const std::vector<std::uint32_t>& targets) const;
  bool start_server(std::uint32_t target);
  void note_start(Instant origin);
  void take(std::uint32_t point, const std::vector<std::uint32_t>& targets, SessionRecords&& session);
  void summarize_point(std::uint32_t point, std::uint32_t target, TargetRecords&& came);
  std::vector<std::uint64_t> sent_before(std::uint32_t point, std::uint32_t target) const;
  bool stops_here(std::uint32_t point);
  void after(std::uint32_t point);
  void note_limit(std::uint32_t point, std::uint32_t target, const TargetRecords& came);
  void note_unwatched_cost(std::uint32_t target, const std::vector<RequestRecord>& records);
  void note_fingerprints(std::uint32_t target, const std::vector<RequestRecord>& records);
  PointResult& point_at(std::uint32_t point, std::uint32_t target);
  void resume(const std::string& directory);

  const Plan& plan_;
  Secrets secrets_;
  const Hooks& hooks_;
  const TimeLimit limit_;
  TargetServers* servers_;
  ResultFolder* folder_ = nullptr;
  std::optional<RecordsFile> file_;
  RunTargets targets_;
  std::vector<TargetUse> used_;  // use of the targets' limits
  std::string run_id_;
  std::uint64_t entropy_;
  RunResult result_;
  std::vector<RequestRecord> records_;
  std::vector<std::vector<MetricsPage>> metrics_;  // by target
  Scrapes scrapes_;
  std::vector<bool> done_;  // points
  std::uint32_t at_ = 0;    // the point that is measured
  std::optional<MaskedOutput> command_output_;
  std::optional<Instant> origin_;
  nanoseconds cpu_{}, wall_{};
  bool broken_ = false;   // by an exception: not all of it was measured
  bool cut_ = false;      // the command's limit was over before the run's end
  bool used_up_ = false;  // a target's limit was reached: later points could not be complete
};

}  // namespace infermeter
