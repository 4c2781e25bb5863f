#include "analysis/gate/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/gate/figures.hpp"
#include "analysis/gate/guards.hpp"
#include "analysis/gate/places.hpp"
#include "analysis/gate/sessions.hpp"
#include "analysis/gate/verdict.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

namespace {

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

}  // namespace

void judge_place(const GateRule& rule, const GatePlace& place, Verdict& verdict) {
  PlaceJudge(rule, place, verdict).judge();
}

}  // namespace infermeter
