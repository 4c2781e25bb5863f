#include "run/gate/pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/gate/decision.hpp"
#include "analysis/gate/figures.hpp"
#include "base/text.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

bool has_requests(const PointResult& point) { return point.requests > 0; }

/// "ttft.p50 +1.2 %  tpot.p50 +0.3 %": the current change of each gated metric.
std::string standing(const Verdict& verdict, const GateRule& rule) {
  std::vector<std::string> parts;
  for (const auto& metric : rule.metrics) {
    const std::string name = label(metric);
    const auto it = std::ranges::find_if(verdict.judgements, [&](const Judgement& judgement) {
      return judgement.kind == JudgementKind::change && judgement.text == name;
    });
    if (it != verdict.judgements.end() && it->value)
      parts.push_back(fmt::format("{} {}", name, signed_percent(*it->value)));
  }
  return fmt::format("{}", fmt::join(parts, "  "));
}

/// "6–16": the looks between which the gate will be decided.
std::string range_of_looks(const GateRule& rule) {
  if (rule.looks.size() == 1) return fmt::format("{}", rule.looks.front());
  return fmt::format("{}–{}", rule.looks.front(), rule.looks.back());
}

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

std::string different_servers(const TargetFacts& baseline, const TargetFacts& candidate) {
  const bool meant = baseline.model_source == "asked for" && candidate.model_source == "asked for";
  if (baseline.model != candidate.model && !meant)
    return fmt::format("the baseline serves {}, the candidate {}", baseline.model, candidate.model);
  if (baseline.endpoint != candidate.endpoint)
    return fmt::format("the baseline's endpoint is {}, the candidate's {}", baseline.endpoint,
                       candidate.endpoint);
  return {};
}

std::vector<GatePair> pairs_of(const RunResult& run) {
  std::map<std::uint32_t, GatePair> by_point;
  for (const auto& point : run.points) {
    if (!has_requests(point)) continue;
    (point.target == 0 ? by_point[point.point].baseline : by_point[point.point].candidate) = &point;
  }
  std::vector<GatePair> pairs;
  for (const auto& [number, pair] : by_point) {
    if (pair.baseline != nullptr && pair.candidate != nullptr) pairs.push_back(pair);
  }
  return pairs;
}

PairWatch::PairWatch(const GatePlan& gate, const Say& say)
    : gate_(gate), say_(say), begun_(now()), verdict_(judge_pairs(gate.rule, {}, true)) {}

bool PairWatch::look(const RunResult& run) {
  const auto pairs = pairs_of(run);
  if (pairs.size() == 1 && !gate_.rule.forced) {
    not_alike_ = differences(run, pairs.front());
    if (!not_alike_.empty()) return true;
  }
  verdict_ = judge_pairs(gate_.rule, pairs, false);
  const auto set_aside =
      std::ranges::count_if(verdict_.units, [](const GateUnit& unit) { return !unit.set_aside.empty(); });
  const std::size_t counted = pairs.size() - static_cast<std::size_t>(set_aside);
  if (counted == 1) never_given_ = metrics_never_given(pairs);
  out_of_time_ = verdict_.decision == Decision::undecided && time_is_up(pairs.size());
  const bool over = counted >= gate_.rule.looks.back() || !verdict_.trustworthy ||
                    pairs.size() >= gate_.plan.sweep.runs || out_of_time_ || !never_given_.empty();
  if (over) verdict_ = judge_pairs(gate_.rule, pairs, true);
  tell(counted);
  // The noise of a pipeline is measured from all pairs.
  return over || (!gate_.aa && verdict_.decision != Decision::undecided);
}

/// With --aa the noise of the other metrics is of use, if there is one.
std::string PairWatch::metrics_never_given(std::span<const GatePair> pairs) const {
  const auto counted =
      std::ranges::find_if(verdict_.units, [](const GateUnit& unit) { return unit.set_aside.empty(); });
  std::vector<std::string> names;
  for (const auto& metric : gate_.rule.metrics) {
    const auto& pair = pairs[static_cast<std::size_t>(counted - verdict_.units.begin())];
    if (!why_never(metric, pair).empty()) names.push_back(label(metric));
  }
  if (gate_.aa && names.size() < gate_.rule.metrics.size()) return {};
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string PairWatch::differences(const RunResult& run, const GatePair& pair) const {
  std::vector<std::string> all = differences_of_answers(*pair.baseline, *pair.candidate);
  const std::string servers = different_servers(run.targets[0], run.targets[1]);
  if (!servers.empty()) all.insert(all.begin(), servers);
  return fmt::format("{}", fmt::join(all, "; "));
}

// Until the first look it may run a quarter over: stopping earlier would waste all that was measured.
bool PairWatch::time_is_up(std::size_t pairs) const {
  if (!gate_.budget) return false;
  const std::size_t first = gate_.rule.looks.front();
  const nanoseconds spent = now() - begun_;
  const nanoseconds a_pair = spent / static_cast<std::int64_t>(std::max<std::size_t>(pairs, 1));
  if (pairs >= first) return spent + a_pair > *gate_.budget;
  return a_pair * static_cast<std::int64_t>(first) > *gate_.budget * 5 / 4;
}

Verdict PairWatch::end(const RunResult& run) const {
  Verdict verdict = verdict_;
  if (verdict.decision == Decision::undecided) verdict = judge_pairs(gate_.rule, pairs_of(run), true);
  if (!not_alike_.empty()) verdict.notes.push_back("Not compared: " + not_alike_);
  if (!never_given_.empty())
    verdict.notes.push_back(fmt::format(
        "No pair will have {}: the gate ends undecided after the first one. --metric names others.",
        never_given_));
  if (out_of_time_)
    verdict.notes.push_back(fmt::format("The budget of {} ended it.", format_duration(*gate_.budget)));
  return verdict;
}

void PairWatch::tell(std::size_t counted) {
  const auto next = next_look(gate_.rule, static_cast<std::uint32_t>(counted));
  const bool aside = !verdict_.units.empty() && !verdict_.units.back().set_aside.empty();
  const bool open = verdict_.decision == Decision::undecided && next && never_given_.empty();
  say_(fmt::format(
      " pair {:>2} of {}   {}{}   {}", counted, range_of_looks(gate_.rule),
      aside ? "set aside, not to be trusted   " : "", standing(verdict_, gate_.rule),
      open ? fmt::format("{} look after {}", counted < gate_.rule.looks.front() ? "first" : "next", *next)
           : std::string(name(verdict_.decision))));
}

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
