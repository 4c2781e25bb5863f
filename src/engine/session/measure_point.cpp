#include "engine/session/session.hpp"

#include <algorithm>

namespace infermeter {
namespace {

constexpr std::uint32_t kFewestBlocks = 6;
constexpr std::uint32_t kMostBlocks = 12;

TargetSession session_of(const PointSetup& setup, std::uint32_t target, const std::vector<Lane>& lanes) {
  return {.target = target,
          .prepared = &setup.prepared[target],
          .lanes = &lanes,
          .workers = setup.workers[target],
          .used = setup.used[target]};
}

SessionSetup session_setup(const PointSetup& setup) {
  return {.plan = setup.plan,
          .point = setup.point,
          .load = setup.plan.sweep.points[setup.point],
          .targets = {},
          .run_id = setup.run_id,
          .origin = setup.origin,
          .not_before = setup.not_before,
          .first_index = 0,
          .file = setup.file,
          .label = setup.label,
          .progress = setup.progress,
          .begun = setup.begun,
          .metrics = setup.metrics,
          .scraped = setup.scraped};
}

SessionRecords at_once(const PointSetup& setup, const TimeLimit& limit) {
  SessionSetup session = session_setup(setup);
  for (const std::uint32_t t : setup.targets) session.targets.push_back(session_of(setup, t, setup.lanes[t]));
  return run_session(session, limit);
}

// Sessions of one target after the other, collected as one.
class Rotation {
 public:
  Rotation(const PointSetup& setup, const TimeLimit& limit)
      : setup_(setup),
        limit_(limit),
        origin_(setup.origin),
        next_index_(setup.prepared.size(), 0),
        used_(setup.used.begin(), setup.used.end()),
        over_(setup.prepared.size(), false) {
    out_.targets.resize(setup.prepared.size());
  }

  /// `first_index`: where the target continues in its sequence of requests; nothing: where it stopped.
  void measure(std::uint32_t target, const std::vector<Lane>& lanes, const std::string& label,
               std::optional<std::uint64_t> first_index = {}) {
    out_.interrupted = out_.interrupted || limit_.over(now());
    if (out_.interrupted || over_[target]) return;
    SessionSetup session = session_setup(setup_);
    session.load = lanes.front().load;
    session.origin = origin_;
    session.first_index = first_index.value_or(next_index_[target]);
    session.label += label;
    session.targets = {session_of(setup_, target, lanes)};
    session.targets.front().used = used_[target];
    SessionRecords records = run_session(session, limit_);
    origin_ = records.origin;
    TargetRecords& came = records.targets.front();
    note_indices(target, lanes, came);
    used_[target] = came.used;
    over_[target] = !came.ended_early.empty();
    out_.interrupted = records.interrupted;
    out_.targets[target].merge(std::move(came));
  }

  SessionRecords take() {
    SessionRecords out{.origin = origin_.value_or(now()), .targets = {}, .interrupted = out_.interrupted};
    for (const std::uint32_t t : setup_.targets) out.targets.push_back(std::move(out_.targets[t]));
    return out;
  }

 private:
  // The next block continues in the sequence where this one ended.
  void note_indices(std::uint32_t target, const std::vector<Lane>& lanes, const TargetRecords& came) {
    for (const auto& record : came.records) {
      const auto& lane = lanes[record.id % lanes.size()];
      next_index_[target] = std::max(next_index_[target], record.id / lanes.size() / lane.max_turns + 1);
    }
  }

  const PointSetup& setup_;
  const TimeLimit& limit_;
  std::optional<Instant> origin_;
  std::vector<std::uint64_t> next_index_;
  std::vector<TargetUse> used_;
  std::vector<bool> over_;
  SessionRecords out_;
};

SessionRecords one_after_the_other(const PointSetup& setup, const TimeLimit& limit) {
  Rotation rotation(setup, limit);
  for (const std::uint32_t t : setup.targets)
    rotation.measure(t, setup.lanes[t], setup.prepared[t].target.name + "  ");
  return rotation.take();
}

// Blocks of one target alone. They begin at fixed requests, whatever came before, so that two targets whose
// blocks are compared receive the same ones.
SessionRecords in_blocks(const PointSetup& setup, const TimeLimit& limit) {
  constexpr std::uint64_t kStride = 1'000'000;
  Rotation rotation(setup, limit);
  const std::uint32_t target = setup.targets.front();
  for (std::uint32_t b = 0; b < setup.blocks; ++b) {
    std::vector<Lane> lanes;
    for (const auto& lane : setup.lanes[target]) lanes.push_back(block_of(lane, b, setup.blocks));
    rotation.measure(target, lanes, "", b * kStride);
  }
  return rotation.take();
}

// A B B A A B …: a drift of the machine affects all targets alike.
SessionRecords alternating(const PointSetup& setup, std::uint32_t blocks, const TimeLimit& limit) {
  Rotation rotation(setup, limit);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < setup.targets.size(); ++i) {
      const std::uint32_t t = setup.targets[b % 2 == 0 ? i : setup.targets.size() - 1 - i];
      std::vector<Lane> lanes;
      for (const auto& lane : setup.lanes[t]) lanes.push_back(block_of(lane, b, blocks));
      rotation.measure(t, lanes, setup.prepared[t].target.name + "  ");
    }
  }
  return rotation.take();
}

Schedule slice(const Schedule& whole, std::uint32_t block, std::uint32_t blocks) {
  const nanoseconds length = (whole.measured_to - whole.measured_from) / blocks;
  const nanoseconds from = block == 0 ? nanoseconds(0) : whole.measured_from + length * block;
  const nanoseconds to =
      block + 1 == blocks ? nanoseconds::max() : whole.measured_from + length * (block + 1);
  Schedule part;
  for (std::size_t i = 0; i < whole.offsets.size(); ++i) {
    if (whole.offsets[i] < from || whole.offsets[i] >= to) continue;
    if (i < whole.warmup) ++part.warmup;
    part.offsets.push_back(whole.offsets[i] - from);
  }
  part.measured_from = block == 0 ? whole.measured_from : nanoseconds(0);
  part.measured_to = part.measured_from + length;
  part.hash = whole.hash;
  return part;
}

}  // namespace

std::uint32_t block_count(const Load& load) {
  constexpr nanoseconds kLength = 10s;
  if (!load.duration) return kFewestBlocks;
  const auto fits = static_cast<std::uint32_t>(std::min<std::int64_t>(*load.duration / kLength, kMostBlocks));
  return std::clamp(fits, kFewestBlocks, kMostBlocks);
}

Lane block_of(const Lane& lane, std::uint32_t block, std::uint32_t blocks) {
  Lane part = lane;
  Load& load = part.load;
  if (load.requests) {
    const std::uint64_t before = *load.requests * block / blocks;
    load.requests = *load.requests * (block + 1) / blocks - before;
  }
  if (load.duration) load.duration = *load.duration / blocks;
  if (load.open_loop()) {
    part.schedule = slice(lane.schedule, block, blocks);
  } else if (block > 0) {
    const bool any = load.warmup_duration.value_or(0ns) > 0ns || load.warmup_requests.value_or(0) > 0;
    load.warmup_duration.reset();
    load.warmup_requests = any ? load.concurrency : 0;
  }
  return part;
}

SessionRecords measure_point(const PointSetup& setup, const TimeLimit& limit) {
  if (setup.targets.size() == 1) return setup.blocks > 1 ? in_blocks(setup, limit) : at_once(setup, limit);
  switch (setup.plan.target_order) {
    case TargetOrder::at_once:
      return at_once(setup, limit);
    case TargetOrder::alternate:
      return alternating(setup, block_count(setup.plan.sweep.points[setup.point]), limit);
    case TargetOrder::sequential:
    case TargetOrder::pairs:
      return one_after_the_other(setup, limit);
  }
  return {};
}

}  // namespace infermeter
