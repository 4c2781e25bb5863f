// One load point at the targets of a run, in the order that the plan asks for: all at the same time, in
// alternating blocks, or one after the other. Blocks; main thread.
#pragma once

#include <span>

#include "engine/session/session.hpp"

namespace infermeter {

struct PointSetup {
  const Plan& plan;
  std::uint32_t point = 0;
  std::vector<std::uint32_t> targets;        // which of the run's are measured now, ascending
  std::uint32_t blocks = 1;                  // of one target that is measured alone: so many sessions
  std::span<const PreparedTarget> prepared;  // by target
  std::span<const std::vector<Lane>> lanes;  // by target; empty for those that are not measured
  std::span<const std::uint32_t> workers;    // by target
  std::span<const TargetUse> used;           // of its limits, by target
  std::string run_id;
  std::optional<Instant> origin;
  Instant not_before{};
  RecordsFile* file = nullptr;
  std::string label;  // of its progress: "2/5  "
  std::function<void(const ProgressFigures&)> progress = {};
  std::function<void(Instant origin)> begun = {};  // SessionSetup::begun, of each of its sessions
};

/// `targets` of what it returns are those of the setup, whatever the order of measuring.
SessionRecords measure_point(const PointSetup& setup, const std::atomic<bool>& interrupt);

/// The part of a lane that belongs to block `block` of `blocks` (alternating order): its share of requests or
/// time, its slice of the schedule. Only the first block has the lane's whole warm-up; in a closed loop each
/// further one begins with one request per slot.
Lane block_of(const Lane& lane, std::uint32_t block, std::uint32_t blocks);

/// Blocks per target for a load: ten seconds or more each, at least 6 so that differences get an interval, at
/// most 12.
std::uint32_t block_count(const Load& load);

}  // namespace infermeter
