// Prepares the targets of a run: preflight, calibration, requests. Private to src/run. Blocks; main thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/time_limit.hpp"
#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

class RunTargets {
 public:
  /// Sends nothing yet: each target is as in the plan. All references must outlive it.
  RunTargets(const Plan& plan, std::vector<ClassData> data, const TimeLimit& limit, const Say& say, Log* log);

  /// Runs the preflight of a target (again, if its server was restarted) and calibrates each class the first
  /// time. Throws EnvironmentError that names the target if there are several.
  void prepare(std::uint32_t target);
  /// A target whose server is not up yet is assumed to be like the other one.
  void expect_like(std::uint32_t target, std::uint32_t other);

  std::span<const PreparedTarget> prepared() const { return prepared_; }
  std::span<const std::uint32_t> workers() const { return workers_; }
  std::span<const ClassData> data() const { return data_; }
  /// How prompt lengths were calibrated at a target, by class; empty: they were not.
  const std::string& calibration_report(std::uint32_t target, std::size_t traffic_class) const;
  /// `sent_before`: by class, how many of its prompts earlier points sent to this target.
  std::vector<Lane> lanes(const Load& load, std::uint32_t target, const std::string& nonce,
                          std::span<const std::uint64_t> sent_before) const;

 private:
  PreparedTarget look_at(const Target& target) const;
  bool calibrates(std::uint32_t traffic_class) const;
  nanoseconds own_time() const;  // a target's part of the preparation's time
  std::uint32_t most_workers() const;

  const Plan& plan_;
  std::vector<ClassData> data_;
  const TimeLimit& limit_;
  const Say& say_;
  Log* log_;
  std::vector<PreparedTarget> prepared_;
  std::vector<std::vector<std::shared_ptr<const Calibration>>> calibrations_;  // by target and class
  std::vector<std::uint32_t> workers_;                                         // by target
  nanoseconds spare_{};  // of the preparation's time, left over by earlier targets
};

}  // namespace infermeter
