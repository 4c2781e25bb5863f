#include "infermeter/analysis/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "analysis/gate/decision.hpp"
#include "analysis/gate/figures.hpp"
#include "analysis/gate/guards.hpp"
#include "analysis/gate/verdict.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kSetAsidePairs = 5;  // live pairs can be measured again

/// The pairs that count, and all pairs as units of the verdict.
struct CountedPairs {
  std::vector<GatePair> pairs;
  std::vector<GateUnit> units;
  GateSides sides;
  std::vector<const PointResult*> members;
};

std::string why_set_aside(const GatePair& pair) {
  if (const auto why = why_set_aside(pair.baseline); !why.empty()) return "baseline " + why;
  if (const auto why = why_set_aside(pair.candidate); !why.empty()) return "candidate " + why;
  return {};
}

CountedPairs count_pairs(std::span<const GatePair> pairs) {
  CountedPairs out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& pair = pairs[i];
    out.units.push_back(
        {.number = static_cast<std::uint32_t>(i + 1), .set_aside = why_set_aside(pair), .changes = {}});
    if (!out.units.back().set_aside.empty()) continue;
    out.pairs.push_back(pair);
    out.sides.baseline.push_back(pair.baseline);
    out.sides.candidate.push_back(pair.candidate);
    out.members.insert(out.members.end(), {pair.baseline, pair.candidate});
  }
  return out;
}

/// Excluded pairs show their changes too, where they were measured.
void add_changes(const GatedMetric& metric, std::span<const GatePair> pairs, std::vector<GateUnit>& units) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::optional<double> change;
    if (pairs[i].baseline && pairs[i].candidate) change = change_of(metric, pairs[i]).change;
    units[i].changes.emplace_back(label(metric), change);
  }
}

GateStage stage_of(const GateRule& rule, std::size_t counted, bool at_end) {
  const auto pairs = static_cast<std::uint32_t>(counted);
  const bool look = at_end || std::ranges::find(rule.looks, pairs) != rule.looks.end();
  return {.counted = counted, .look = look, .at_end = at_end, .next = next_look(rule, pairs)};
}

/// Good answers per run in the pairs.
double answers_a_run(std::span<const GatePair> pairs) {
  std::uint64_t sum = 0;
  for (const auto& pair : pairs) sum += pair.baseline->ok + pair.candidate->ok;
  return pairs.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(2 * pairs.size());
}

/// If the baseline did not answer, no comparison is possible.
void doubt_changes(Verdict& verdict) {
  for (auto& line : verdict.judgements) {
    if (line.kind == JudgementKind::change) doubt(line);
  }
  verdict.notes.push_back(
      "The baseline itself did not answer as planned: see that it works, then gate again.");
}

std::string counted_words(std::size_t pairs) {
  return fmt::format("{} pair{}", pairs, pairs == 1 ? "" : "s");
}

std::string ended_words(const GateRule& rule, const Verdict& verdict, const GateStage& stage) {
  const auto most = rule.looks.empty() ? 0 : rule.looks.back();
  if (verdict.decision != Decision::undecided)
    return fmt::format("decided after {} of at most {}", stage.counted, counted_words(most));
  if (stage.at_end) return fmt::format("undecided after {}", counted_words(stage.counted));
  return fmt::format("{} so far{}", counted_words(stage.counted),
                     stage.next ? fmt::format(", next look after {}", *stage.next) : "");
}

void note_set_aside(const CountedPairs& counted, Verdict& verdict) {
  for (const auto& unit : counted.units) {
    if (!unit.set_aside.empty())
      verdict.notes.push_back(fmt::format("Pair {} is set aside: {}", unit.number, unit.set_aside));
  }
  const auto set_aside = counted.units.size() - counted.pairs.size();
  if (!too_many_set_aside(set_aside, counted.pairs.size(), kSetAsidePairs)) return;
  verdict.trustworthy = false;
  verdict.notes.push_back(fmt::format("{} of {} were set aside: this gate is not to be trusted.", set_aside,
                                      counted_words(counted.units.size())));
}

Verdict judge_counted(const GateRule& rule, std::span<const GatePair> pairs, bool at_end) {
  auto counted = count_pairs(pairs);
  const auto stage = stage_of(rule, counted.pairs.size(), at_end);
  Verdict verdict;
  verdict.basis = Basis::pairs;
  bool baseline_short = false;
  if (!counted.pairs.empty()) {
    auto guards = judge_guards(rule, counted.sides, at_end || rule.looks.empty() ? 1 : rule.looks.front());
    baseline_short = guards.baseline_short;
    verdict.judgements = std::move(guards.judgements);
  }
  for (const auto& metric : judged_metrics(rule, counted.members, verdict.notes)) {
    const auto series = series_of(metric, counted.pairs);
    verdict.judgements.push_back(judge_series(series, stage, answers_a_run(counted.pairs)));
    add_changes(metric, pairs, counted.units);
  }
  if (baseline_short) doubt_changes(verdict);
  std::ranges::move(unequal_work(counted.sides), std::back_inserter(verdict.notes));
  note_set_aside(counted, verdict);
  conclude_verdict(verdict);
  verdict.ended = ended_words(rule, verdict, stage);
  verdict.units = std::move(counted.units);
  return verdict;
}

/// Judges the runs with uncertain arrivals too, each as far from this decision as it can have been.
Verdict judge_against(const GateRule& rule, std::span<const GatePair> pairs, bool at_end, Decision decision) {
  const bool fails = decision == Decision::fail;
  std::deque<PointResult> moved;
  std::vector<GatePair> all(pairs.begin(), pairs.end());
  const auto move = [&](const PointResult*& run, bool slower) {
    if (run && has_bounded_errors(*run)) run = &moved.emplace_back(moved_by_errors(*run, rule, slower));
  };
  for (auto& pair : all) {
    move(pair.baseline, fails);
    move(pair.candidate, !fails);
  }
  return judge_counted(rule, all, at_end);
}

bool is_uncertain(const GatePair& pair) {
  return (pair.baseline && has_bounded_errors(*pair.baseline)) ||
         (pair.candidate && has_bounded_errors(*pair.candidate));
}

/// The verdict that holds wherever in their bounds the uncertain arrivals were; nothing if there is none.
std::optional<Verdict> judge_with_bounds(const GateRule& rule, std::span<const GatePair> pairs, bool at_end) {
  const auto uncertain = std::ranges::count_if(pairs, is_uncertain);
  if (uncertain == 0) return std::nullopt;
  for (const auto decision : {Decision::fail, Decision::pass}) {
    auto verdict = judge_against(rule, pairs, at_end, decision);
    if (verdict.decision != decision || !verdict.trustworthy) continue;
    verdict.notes.push_back(fmt::format(
        "The client was late in {}. They are counted with the values that speak most against this "
        "verdict, and it holds.",
        counted_words(static_cast<std::size_t>(uncertain))));
    return verdict;
  }
  return std::nullopt;
}

}  // namespace

GateRule default_gate_rule(bool with_slos) {
  GateRule rule;
  rule.metrics = {{.metric = "ttft", .statistic = "p50"},
                  {.metric = "ttft", .statistic = "p95", .least = 0.10, .most = 0.20},
                  {.metric = "tpot", .statistic = "p50"},
                  {.metric = with_slos ? "goodput" : "output_throughput", .statistic = ""}};
  return rule;
}

std::vector<std::uint32_t> gate_looks(std::uint32_t most_pairs) {
  constexpr std::uint32_t step = 4;
  std::vector<std::uint32_t> looks;
  for (const std::uint32_t look : GateRule{}.looks) {
    if (look <= most_pairs) looks.push_back(look);
  }
  if (looks.empty()) return looks;
  while (looks.back() + step <= most_pairs && looks.back() >= GateRule{}.looks.back())
    looks.push_back(looks.back() + step);
  if (looks.back() < most_pairs) looks.push_back(most_pairs);
  return looks;
}

std::optional<std::uint32_t> next_look(const GateRule& rule, std::uint32_t counted) {
  const auto it = std::ranges::upper_bound(rule.looks, counted);
  return it == rule.looks.end() ? std::nullopt : std::optional(*it);
}

Verdict judge_pairs(const GateRule& rule, std::span<const GatePair> pairs, bool at_end) {
  auto verdict = judge_counted(rule, pairs, at_end);
  if (verdict.decision != Decision::undecided && verdict.trustworthy) return verdict;
  if (auto holds = judge_with_bounds(rule, pairs, at_end)) return std::move(*holds);
  return verdict;
}

}  // namespace infermeter
