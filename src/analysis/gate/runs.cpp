// Compares saved results (judge_runs).
#include <fmt/format.h>

#include <algorithm>

#include "analysis/gate/place.hpp"
#include "analysis/gate/verdict.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

namespace {

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
