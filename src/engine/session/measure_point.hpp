// Measures one load point at the targets of a run, in the plan's order: all at the same time, in alternating
// blocks, or one after the other. Blocks; main thread.
#pragma once

#include <span>

#include "engine/session/session.hpp"

namespace infermeter {

struct PointSetup {
  const Plan& plan;
  std::uint32_t point = 0;
  std::vector<std::uint32_t> targets;        // indices of the targets that are measured now, ascending
  std::uint32_t blocks = 1;                  // number of sessions, for one target that is measured alone
  std::span<const PreparedTarget> prepared;  // by target
  std::span<const std::vector<Lane>> lanes;  // by target; empty for targets that are not measured
  std::span<const std::uint32_t> workers;    // by target
  std::span<const TargetUse> used;           // use of its limits so far, by target
  std::string run_id;
  std::optional<Instant> origin;
  Instant not_before{};
  RecordsFile* file = nullptr;
  std::string label;  // prefix of its progress line: "2/5  "
  std::function<void(const ProgressFigures&)> progress = {};
  std::function<void(Instant origin)> begun = {};  // SessionSetup::begun, for each of its sessions
};

/// `targets` of the returned records are in the setup's order, whatever the order of measuring.
SessionRecords measure_point(const PointSetup& setup, const std::atomic<bool>& interrupt);

/// The part of a lane in block `block` of `blocks` (alternating order): its share of requests or time, its
/// slice of the schedule. Only the first block has the lane's whole warm-up; in a closed loop each further
/// one begins with one request per slot.
Lane block_of(const Lane& lane, std::uint32_t block, std::uint32_t blocks);

/// The number of blocks per target for a load: ten seconds or more each, at least 6 so that differences get
/// an interval, at most 12.
std::uint32_t block_count(const Load& load);

}  // namespace infermeter
