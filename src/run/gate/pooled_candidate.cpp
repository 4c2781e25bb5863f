#include "run/gate/pooled_candidate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "infermeter/analysis/summarize.hpp"
#include "run/gate/pair_watch.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kCandidate = 1;

bool is_among(std::uint32_t point, const std::vector<std::uint32_t>& points) {
  return std::ranges::find(points, point) != points.end();
}

std::vector<RequestRecord> records_of_candidate(std::span<const RequestRecord> records,
                                                const std::vector<std::uint32_t>& points) {
  std::vector<RequestRecord> own;
  for (const auto& record : records) {
    if (record.target != kCandidate || !is_among(record.point, points)) continue;
    own.push_back(record);
    own.back().point = 0;
    own.back().target = 0;
  }
  return own;
}

/// The block of a run in one session: from its first measured start to its last end.
std::vector<TimeSpan> whole_block(std::span<const RequestRecord> records, std::uint32_t point) {
  std::vector<TimeSpan> block;
  for (const auto& record : records) {
    if (record.target != kCandidate || record.point != point || record.phase != Phase::measured) continue;
    if (!record.started_us || !record.end_us) continue;
    const TimeSpan span{static_cast<std::uint64_t>(*record.started_us),
                        static_cast<std::uint64_t>(*record.end_us)};
    if (block.empty()) block.push_back(span);
    block[0] = {std::min(block[0].from_us, span.from_us), std::max(block[0].to_us, span.to_us)};
  }
  return block;
}

void add_point(const PointResult& point, std::span<const RequestRecord> records, LoadPoint& load) {
  load.scheduled_requests += point.load.scheduled_requests;
  if (load.requests && point.load.requests) *load.requests += *point.load.requests;
  if (load.duration_s && point.load.duration_s) *load.duration_s += *point.load.duration_s;
  const auto blocks = point.load.blocks.empty() ? whole_block(records, point.point) : point.load.blocks;
  std::ranges::copy(blocks, std::back_inserter(load.blocks));
}

/// The load of one run, multiplied by the number of runs, over their blocks.
LoadPoint pooled_load(const RunResult& gate, std::span<const RequestRecord> records,
                      const std::vector<std::uint32_t>& points) {
  LoadPoint load;
  bool first = true;
  for (const auto& point : gate.points) {
    if (point.target != kCandidate || !is_among(point.point, points)) continue;
    if (std::exchange(first, false)) {
      load = point.load;
      load.scheduled_requests = 0;
      load.blocks.clear();
      if (load.requests) load.requests = 0;
      if (load.duration_s) load.duration_s = 0;
    }
    add_point(point, records, load);
  }
  load.in_blocks = true;
  return load;
}

RunState pooled_state(const RunResult& gate) {
  RunState state;
  const TargetFacts& facts = gate.targets[kCandidate];
  state.partial = gate.interrupted;
  state.timestamp_source = facts.timestamp_source.value_or(state.timestamp_source);
  state.prices = facts.prices;
  state.gpus = facts.gpus;
  return state;
}

}  // namespace

std::vector<std::uint32_t> counted_points(const RunResult& gate, const Verdict& verdict) {
  const auto pairs = pairs_of(gate);
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool aside = i < verdict.units.size() && !verdict.units[i].set_aside.empty();
    if (!aside) points.push_back(pairs[i].candidate->point);
  }
  return points;
}

PooledRun pooled_candidate(const RunResult& gate, std::span<const RequestRecord> records,
                           const std::vector<std::uint32_t>& points) {
  PooledRun out{.run = gate, .records = records_of_candidate(records, points)};
  out.run.targets = {gate.targets[kCandidate]};
  out.run.target_order.reset();
  out.run.runs = 1;
  out.run.points = {summarize(pooled_load(gate, records, points), out.records, pooled_state(gate))};
  return out;
}

}  // namespace infermeter
