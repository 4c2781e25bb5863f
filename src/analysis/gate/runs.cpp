// Compares saved results (judge_runs), load point by load point: as pairs where the runs were measured in
// turn, by run where each side has several.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "analysis/compare/changes.hpp"
#include "analysis/gate/figures.hpp"
#include "analysis/gate/guards.hpp"
#include "analysis/gate/places.hpp"
#include "analysis/gate/verdict.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "analysis/statistics/spread.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

// Runs of two sessions at one load: with several per side they are compared by run (Welch). A single run per
// side allows no gate, only a guard against catastrophes, by the intervals of the figures themselves.

/// The smallest `least` for which single runs are compared at all: two sessions of one server differ by far
/// less.
constexpr double kCatastrophe = 0.20;
constexpr double kScore = 1.960 + 0.842;  // for the interval, and for the 80 % chance of a decision
constexpr double kMostRuns = 100;         // nobody repeats more runs

/// Of the runs that have the figure.
std::vector<double> figures_of(const GatedMetric& metric, std::span<const PointResult* const> runs) {
  std::vector<double> out;
  for (const auto* run : runs) {
    if (const auto figure = value_of(metric, *run)) out.push_back(*figure);
  }
  return out;
}

double median_of(std::vector<double> values) { return median(values); }

/// ln of the figures relative to `middle`, positive is worse.
std::vector<double> turned(const GatedMetric& metric, double middle, std::span<const double> figures) {
  std::vector<double> out;
  for (const double figure : figures) out.push_back(worse(metric, log_change(middle, figure)));
  return out;
}

double runs_for(double gap, double spread) {
  return gap <= 0 ? std::numeric_limits<double>::infinity() : 2 * std::pow(kScore * spread / gap, 2);
}

struct Limits {
  double least = 0, fail = 0, pass = 0;  // ln
};

/// Above it a metric fails.
double failing_share(const GateRule& rule, const GatedMetric& metric) {
  return std::max(metric.least, rule.session_effect);
}

Limits limits_of(const GateRule& rule, const GatedMetric& metric) {
  return {.least = std::log1p(metric.least),
          .fail = std::log1p(failing_share(rule, metric)),
          .pass = std::log1p(metric.most)};
}

Decision decide(const MeanDifference& difference, const Limits& limits) {
  if (difference.low > limits.fail) return Decision::fail;
  if (difference.low > limits.least) return Decision::undecided;
  return difference.high < limits.pass ? Decision::pass : Decision::undecided;
}

std::string runs_needed(const MeanDifference& difference, const Limits& limits, double spread,
                        std::size_t now) {
  const double more = std::min(runs_for(difference.estimate - limits.fail, spread),
                               runs_for(limits.pass - difference.estimate, spread));
  if (difference.low > limits.least || more > kMostRuns) return "pairs measured in turn";
  return fmt::format("about {:.0f} runs a side, or pairs measured in turn",
                     std::max(std::ceil(more), static_cast<double>(now + 1)));
}

void explain(const GateRule& rule, const GatedMetric& metric, const MeanDifference& difference,
             const Limits& limits, Judgement& line) {
  if (line.decision == Decision::undecided && difference.low > limits.least) {
    line.reason = fmt::format(
        "Significantly beyond {}, but one server can differ by so much between two sessions: only beyond {} "
        "is a "
        "failure.",
        limit_words(metric, metric.least), limit_words(metric, failing_share(rule, metric)));
    return;
  }
  line.reason =
      change_reason(metric, line.decision,
                    {.estimate = difference.estimate, .low = difference.low, .high = difference.high});
}

std::string missing_runs_words(const GatedMetric& metric, std::size_t baseline, std::size_t candidate) {
  return fmt::format(
      "{} is known of {} runs of the baseline and {} of the candidate: two each are the least.",
      label(metric), baseline, candidate);
}

constexpr double kLeastRatio = 1e-3;  // of a figure of 0: the worst change, as for pairs

/// The change with its bounds, positive is worse.
WorseChange change_between(const GatedMetric& metric, const Estimate& baseline, Estimate candidate) {
  if (*candidate.value <= 0) candidate = {.value = kLeastRatio * *baseline.value};
  const auto change = change_by_bounds(baseline, candidate, Scale::ratio);
  auto down = change.below, up = change.above;
  if (known_figure(metric).more_is_better) std::swap(down, up);
  WorseChange out{.estimate = worse(metric, change.difference), .low = {}, .high = {}};
  if (down) out.low = out.estimate - *down;
  if (up) out.high = out.estimate + *up;
  return out;
}

Decision decide_single(const WorseChange& change, double limit) {
  if (change.low && *change.low > limit) return Decision::fail;
  return change.high && *change.high < limit ? Decision::pass : Decision::undecided;
}

/// The line of a metric that cannot be compared by run, the reason, and the limit that would have applied.
Judgement undecided_by_run(const GateRule& rule, const GatedMetric& metric, std::string reason) {
  auto line = change_line(metric, std::nullopt, {}, {});
  line.limit = own_direction(metric, failing_share(rule, metric));
  line.reason = std::move(reason);
  return line;
}

/// At least two runs a side. Fails only beyond the session's own effect, which repeated runs do not show. A
/// change that is significantly above `least` but not above that effect is undecided.
Judgement judge_by_run(const GateRule& rule, const GatedMetric& metric, const GateSides& sides) {
  const auto baseline = figures_of(metric, sides.baseline), candidate = figures_of(metric, sides.candidate);
  const auto unlike = unlike_counts(metric, *sides.baseline.front(), *sides.candidate.front());
  if (baseline.size() < 2 || candidate.size() < 2 || median_of(baseline) <= 0 || !unlike.empty())
    return undecided_by_run(
        rule, metric,
        unlike.empty() ? missing_runs_words(metric, baseline.size(), candidate.size()) : unlike);
  const double middle = median_of(baseline);
  const auto of_baseline = turned(metric, middle, baseline), of_candidate = turned(metric, middle, candidate);
  const auto difference = welch(of_baseline, of_candidate);
  const auto limits = limits_of(rule, metric);
  auto line = change_line(metric, WorseChange{difference.estimate, difference.low, difference.high}, baseline,
                          candidate);
  line.limit = own_direction(metric, failing_share(rule, metric));
  line.decision = decide(difference, limits);
  explain(rule, metric, difference, limits, line);
  const double both = root_of_squares(spread(of_baseline), spread(of_candidate)) / std::sqrt(2.0);
  if (line.decision == Decision::undecided)
    line.needed = runs_needed(difference, limits, both, std::min(baseline.size(), candidate.size()));
  return line;
}

/// ln(run / the middle of the baseline's runs); nothing where the figure is missing.
std::optional<double> change_of_run(const GatedMetric& metric, const GateSides& sides,
                                    const PointResult& run) {
  const auto baseline = figures_of(metric, sides.baseline);
  const auto figure = value_of(metric, run);
  if (baseline.empty() || !figure || median_of(baseline) <= 0) return std::nullopt;
  return log_change(median_of(baseline), *figure);
}

/// The interval of the ratio from the intervals of both figures (MOVER, the method of variance estimates
/// recovery: Donner and Zou 2012): fails when it lies above `least`, passes when it lies below.
Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate) {
  const auto& figure = known_figure(metric);
  const auto before = estimate_of(baseline, figure, metric.statistic);
  const auto after = estimate_of(candidate, figure, metric.statistic);
  const bool compared = before.value && *before.value > 0;
  if (!compared || !after.value) {
    auto line = change_line(metric, std::nullopt, {}, {});
    line.reason = fmt::format("The {} has no {}.", compared ? "candidate" : "baseline", label(metric));
    return line;
  }
  const auto change = change_between(metric, before, after);
  auto line = change_line(metric, change, std::array{*before.value}, std::array{*after.value});
  line.decision = decide_single(change, std::log1p(metric.least));
  if (line.decision != Decision::undecided) return line;
  line.reason = change.low && change.high
                    ? fmt::format("{} lies within the interval.", limit_words(metric, metric.least))
                    : "A single run of so few requests gives no interval.";
  line.needed = "longer runs, or several of each side";
  return line;
}

// One load point with the saved runs of both sides.
struct GatePlace {
  const PlacedRuns& baseline;
  const PlacedRuns& candidate;
  std::string where;  // empty where it is the only one
};

constexpr std::size_t kSetAsideRuns = 2;

bool is_catastrophe_guard(const GateRule& rule) {
  return std::ranges::all_of(rule.metrics, [](const auto& metric) { return metric.least >= kCatastrophe; });
}

void refuse_single(const PlacedRuns& baseline, const PlacedRuns& candidate) {
  throw UsageError(
      fmt::format("gate: {} of the baseline and {} of the candidate at {}: a single run does not show how "
                  "much runs differ",
                  baseline.runs.size(), candidate.runs.size(), short_name(baseline.load)),
      "`infermeter run … --runs 5 --out baseline`, and likewise the candidate, can be compared.\n"
      "`infermeter gate --baseline-url … --candidate-url …` measures both in turn, which sees more.\n"
      "--min-effect 20% compares single runs, as a guard against catastrophes.");
}

/// The runs of a side that count; a note for each that does not.
std::vector<const PointResult*> counted_points(const PlacedRuns& side, const std::string& name,
                                               Verdict& verdict, std::size_t& set_aside) {
  std::vector<const PointResult*> out;
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const auto& run = side.runs[i];
    const auto why = why_set_aside(run.point);
    if (why.empty()) {
      out.push_back(run.point);
      continue;
    }
    ++set_aside;
    verdict.notes.push_back(fmt::format("Run {} of the {} is set aside: {}", i + 1, name, why));
  }
  return out;
}

class PlaceJudge {
 public:
  PlaceJudge(const GateRule& rule, const GatePlace& place, Verdict& verdict)
      : rule_(rule), place_(place), verdict_(verdict) {}

  void judge() {
    const auto pairs = alternated_pairs(place_.baseline, place_.candidate);
    if (!pairs.empty()) return judge_as_pairs(pairs);
    const bool single = std::min(place_.baseline.runs.size(), place_.candidate.runs.size()) < 2;
    if (single && !is_catastrophe_guard(rule_)) refuse_single(place_.baseline, place_.candidate);
    std::size_t set_aside = 0;
    const std::string at = place_.where.empty() ? "" : " at " + place_.where;
    sides_.baseline = counted_points(place_.baseline, "baseline" + at, verdict_, set_aside);
    sides_.candidate = counted_points(place_.candidate, "candidate" + at, verdict_, set_aside);
    if (distrusts(set_aside, single)) return;
    auto guards = judge_guards(rule_, sides_, 1);
    for (auto& line : guards.judgements) add(std::move(line));
    judge_metrics(single, guards.baseline_short);
  }

 private:
  void judge_as_pairs(std::span<const GatePair> pairs) {
    auto of_pairs = judge_pairs(rule_, pairs, true);
    note("The runs were measured in turn: they are judged as pairs.");
    for (auto& line : of_pairs.judgements) add(std::move(line));
    for (const auto& text : of_pairs.notes) note(text);
    for (auto& unit : of_pairs.units) verdict_.units.push_back(std::move(unit));
    verdict_.trustworthy = verdict_.trustworthy && of_pairs.trustworthy;
  }

  /// Too few runs left on a side, or too many excluded.
  bool distrusts(std::size_t set_aside, bool single) {
    const std::size_t least = single ? 1 : 2;
    const auto left = std::min(sides_.baseline.size(), sides_.candidate.size());
    if (too_many_set_aside(set_aside, sides_.baseline.size() + sides_.candidate.size(), kSetAsideRuns) ||
        (set_aside > 0 && left < least))
      verdict_.trustworthy = false;
    if (left >= least) return false;
    for (const auto& metric : rule_.metrics) {
      auto line = single ? change_line(metric, std::nullopt, {}, {}) : undecided_by_run(rule_, metric, {});
      line.reason = "Too few runs that can be trusted.";
      add(std::move(line));
    }
    return true;
  }

  void judge_metrics(bool single, bool baseline_short) {
    std::vector<const PointResult*> runs = sides_.baseline;
    runs.insert(runs.end(), sides_.candidate.begin(), sides_.candidate.end());
    std::vector<std::string> notes;
    const auto metrics = judged_metrics(rule_, runs, notes);
    std::ranges::move(unequal_work(sides_), std::back_inserter(notes));
    for (const auto& text : notes) note(text);
    for (const auto& metric : metrics) {
      auto line = single ? judge_single(metric, *sides_.baseline.front(), *sides_.candidate.front())
                         : judge_by_run(rule_, metric, sides_);
      if (baseline_short) doubt(line);
      add(std::move(line));
    }
    add_units(metrics);
    note(single ? "One run per side: a guard against catastrophes, not a gate."
                : fmt::format("Repeated runs of one session do not show differences between sessions (host, "
                              "day, neighbours: often 3 to 5 %): only a change beyond {:.3g} % fails.",
                              100 * rule_.session_effect));
  }

  void add_units(std::span<const GatedMetric> metrics) {
    for (std::size_t i = 0; i < sides_.candidate.size(); ++i) {
      GateUnit unit{.number = static_cast<std::uint32_t>(i + 1), .set_aside = {}, .changes = {}};
      for (const auto& metric : metrics) {
        const auto name = place_.where.empty() ? label(metric) : label(metric) + " at " + place_.where;
        unit.changes.emplace_back(name, change_of_run(metric, sides_, *sides_.candidate[i]));
      }
      verdict_.units.push_back(std::move(unit));
    }
  }

  void add(Judgement line) {
    line.where = place_.where;
    verdict_.judgements.push_back(std::move(line));
  }
  /// Written once, however many load points it applies to.
  void note(const std::string& text) {
    if (std::ranges::find(verdict_.notes, text) == verdict_.notes.end()) verdict_.notes.push_back(text);
  }

  const GateRule& rule_;
  const GatePlace& place_;
  Verdict& verdict_;
  GateSides sides_;
};

// Adds the place's lines, units and notes: as pairs where the runs were measured in turn, by run where each
// side has several. Throws UsageError for a single run of a side, unless only a guard against catastrophes
// is asked for.
void judge_place(const GateRule& rule, const GatePlace& place, Verdict& verdict) {
  PlaceJudge(rule, place, verdict).judge();
}

using Results = std::span<const RunResult>;

void refuse_unfit(Results results, std::string_view side) {
  if (results.empty()) throw UsageError(fmt::format("gate: no result of the {}", side));
  for (const auto& result : results) {
    if (result.target_order == TargetOrder::pairs)
      throw UsageError(fmt::format("gate: {} is a gate's own result", result.run_id),
                       "Its verdict stands in its verdict.json and in `infermeter report`.");
    if (!result.shard.whole())
      throw UsageError(fmt::format("gate: {} is one shard of {}", result.run_id, result.shard.of),
                       "`infermeter merge` joins them.");
    if (result.targets.size() > 1)
      throw UsageError(
          fmt::format("gate: {} has {} targets: a side is one server", result.run_id, result.targets.size()),
          "`infermeter compare` shows several targets side by side.");
  }
}

std::string joined(std::span<const std::string> lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

/// Each against the first of the baseline.
void check_kind(const GateRule& rule, Results results, const RunResult& first, Verdict& verdict) {
  for (const auto& result : results) {
    if (&result == &first) continue;
    const auto differences = differences_of_kind(first, result);
    if (differences.empty()) continue;
    if (!rule.forced)
      throw UsageError(
          fmt::format("gate: {} and {} are not the same kind of run", first.run_id, result.run_id),
          joined(differences) + "--force compares them anyway.");
    for (const auto& difference : differences)
      verdict.notes.push_back(fmt::format("Forced, {} and {}: {}", first.run_id, result.run_id, difference));
  }
}

const PlacedRuns* same_place(const PlacedRuns& runs, std::span<const PlacedRuns> others) {
  const auto it = std::ranges::find(others, runs.load, &PlacedRuns::load);
  return it == others.end() ? nullptr : &*it;
}

void note_unmatched(std::span<const PlacedRuns> places, std::span<const PlacedRuns> others,
                    std::string_view side, Verdict& verdict) {
  for (const auto& runs : places) {
    if (!same_place(runs, others))
      verdict.notes.push_back(
          fmt::format("Only the {} was measured at {}: not judged.", side, short_name(runs.load)));
  }
}

void judge_places(const GateRule& rule, Results baseline, Results candidate, Verdict& verdict) {
  const auto of_baseline = runs_by_place(baseline), of_candidate = runs_by_place(candidate);
  const bool several = of_baseline.size() > 1 || of_candidate.size() > 1;
  bool any = false;
  for (const auto& runs : of_baseline) {
    const auto* others = same_place(runs, of_candidate);
    if (others) judge_place(rule, {runs, *others, several ? short_name(runs.load) : ""}, verdict);
    any = any || others;
  }
  if (!any) throw UsageError("gate: baseline and candidate have no load point in common");
  note_unmatched(of_baseline, of_candidate, "baseline", verdict);
  note_unmatched(of_candidate, of_baseline, "candidate", verdict);
}

std::string counted_runs(std::size_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

std::size_t count_runs(Results results) {
  std::size_t runs = 0;
  for (const auto& place : runs_by_place(results)) runs = std::max(runs, place.runs.size());
  return runs;
}

}  // namespace

Verdict judge_runs(const GateRule& rule, std::span<const RunResult> baseline,
                   std::span<const RunResult> candidate) {
  refuse_unfit(baseline, "baseline");
  refuse_unfit(candidate, "candidate");
  Verdict verdict;
  verdict.basis = Basis::runs;
  check_kind(rule, baseline, baseline.front(), verdict);
  check_kind(rule, candidate, baseline.front(), verdict);
  for (auto& text : differences_of_surroundings(baseline.front(), candidate.front()))
    verdict.notes.push_back(std::move(text));
  judge_places(rule, baseline, candidate, verdict);
  conclude_verdict(verdict);
  verdict.ended = fmt::format("{} of the baseline, {} of the candidate", counted_runs(count_runs(baseline)),
                              counted_runs(count_runs(candidate)));
  return verdict;
}

}  // namespace infermeter
