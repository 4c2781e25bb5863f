#include "pooled_candidate.hpp"

#include <algorithm>
#include <map>

#include "infermeter/analysis/summarize.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kCandidate = 1;

std::vector<RequestRecord> records_of_candidate(std::span<const RequestRecord> records) {
  std::vector<RequestRecord> own;
  for (const auto& record : records) {
    if (record.target != kCandidate) continue;
    own.push_back(record);
    own.back().point = 0;
    own.back().target = 0;
  }
  return own;
}

/// From the first measured start of each run to its last end.
std::vector<TimeSpan> turns_of(std::span<const RequestRecord> records) {
  std::map<std::uint32_t, TimeSpan> turns;
  for (const auto& record : records) {
    if (record.target != kCandidate || record.phase != Phase::measured) continue;
    if (!record.started_us || !record.end_us) continue;
    const auto from = static_cast<std::uint64_t>(*record.started_us);
    const auto to = static_cast<std::uint64_t>(*record.end_us);
    TimeSpan& turn = turns.try_emplace(record.point, TimeSpan{from, to}).first->second;
    turn = {std::min(turn.from_us, from), std::max(turn.to_us, to)};
  }
  std::vector<TimeSpan> out;
  for (const auto& [point, turn] : turns) out.push_back(turn);
  return out;
}

LoadPoint pooled_load(const RunResult& gate) {
  LoadPoint load;
  bool first = true;
  for (const auto& point : gate.points) {
    if (point.target != kCandidate) continue;
    if (std::exchange(first, false)) {
      load = point.load;
      continue;
    }
    load.scheduled_requests += point.load.scheduled_requests;
    if (load.requests && point.load.requests) *load.requests += *point.load.requests;
    if (load.duration_s && point.load.duration_s) *load.duration_s += *point.load.duration_s;
  }
  load.in_turns = true;
  return load;
}

RunState state_of(const RunResult& gate) {
  RunState state;
  const TargetFacts& facts = gate.targets[kCandidate];
  state.partial = gate.interrupted;
  state.timestamp_source = facts.timestamp_source;
  state.prices = facts.prices;
  state.gpus = facts.gpus;
  return state;
}

}  // namespace

PooledRun pooled_candidate(const RunResult& gate, std::span<const RequestRecord> records) {
  PooledRun out{.run = gate, .records = records_of_candidate(records)};
  LoadPoint load = pooled_load(gate);
  load.turns = turns_of(records);
  out.run.targets = {gate.targets[kCandidate]};
  out.run.target_order.clear();
  out.run.runs = 1;
  out.run.points = {summarize(load, out.records, state_of(gate))};
  return out;
}

}  // namespace infermeter
