// The course of one `run` from a plan whose targets are known to a whole result: point after point, each with
// its own nonce, hooks and cooldown, saved as it goes. Private to src/cli.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "infermeter/base/errors.hpp"
#include "infermeter/engine/measure_point.hpp"
#include "infermeter/io/records_file.hpp"
#include "infermeter/io/result_folder.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

class MeasuredRun {
 public:
  /// Asks the targets and calibrates. Throws Error.
  MeasuredRun(const Plan& plan, std::vector<ClassData> data, const ProgressStyle& progress,
              const std::atomic<bool>& interrupt, const Say& say);

  /// What is known before the first request: for the header and the first result.json.
  const RunResult& result() const { return result_; }
  const std::vector<PreparedTarget>& prepared() const { return prepared_; }

  /// Measures all points into `folder`, rewriting its result.json before and after each.
  void measure(const ResultFolder& folder);
  /// What failed or was cut decides: the first of 130, 3, 4, 0 that holds (docs/exit-codes.md).
  ExitCode verdict() const;

 private:
  PreparedTarget prepare(const Target& target) const;
  std::uint32_t most_workers() const;
  void calibrate_all();
  void describe_points();
  std::string nonce_of(std::uint32_t point, std::uint32_t target) const;
  bool before(std::uint32_t point);
  bool run_point_command(std::string_view option, const std::string& command, std::uint32_t point);
  Instant start_instant() const;
  void measure_point_at(std::uint32_t point, RecordsFile& file, const ResultFolder& folder);
  void take(std::uint32_t point, SessionRecords&& session);
  void summarize_point(std::uint32_t point, std::uint32_t target, TargetRecords&& came);
  bool stops_here(std::uint32_t point);
  void after(std::uint32_t point);
  void note_limit(std::uint32_t point, std::uint32_t target, const TargetRecords& came);
  void note_unwatched_cost(std::uint32_t target, const std::vector<RequestRecord>& records);
  void note_fingerprints(std::uint32_t target, const std::vector<RequestRecord>& records);
  PointResult& point_at(std::uint32_t point, std::uint32_t target);
  void resume(const std::string& directory);

  const Plan& plan_;
  std::vector<ClassData> data_;
  ProgressStyle progress_;
  const std::atomic<bool>& interrupt_;
  const Say& say_;
  std::vector<PreparedTarget> prepared_;
  std::vector<std::vector<std::shared_ptr<const Calibration>>> calibrations_;  // by target and class
  std::vector<std::uint32_t> workers_;                                         // by target
  std::vector<TargetUse> used_;                                                // of their limits
  std::string run_id_;
  std::uint64_t entropy_;
  RunResult result_;
  std::vector<RequestRecord> records_;
  std::vector<bool> done_;  // points
  std::optional<Instant> origin_;
  nanoseconds cpu_{}, wall_{};
  bool environment_failed_ = false;
  bool used_up_ = false;  // a target's limit: further points could not be whole
};

}  // namespace infermeter
