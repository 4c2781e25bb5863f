#include <fmt/format.h>

#include <set>

#include "infermeter/analysis/assertions.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/gate.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/result_folder.hpp"
#include "run/exit_codes.hpp"
#include "run/setup.hpp"

namespace infermeter {
namespace {

std::vector<SavedRun> read_all(const std::vector<std::string>& directories) {
  std::vector<SavedRun> saved;
  for (const auto& directory : directories) saved.push_back(read_saved_run(directory));
  return saved;
}

/// A wrong path in a CI job must not make a run compare with itself, nor count one run several times.
void refuse_twins(const std::vector<SavedRun>& baseline, const std::vector<SavedRun>& candidate) {
  std::set<std::string> seen;
  for (const auto* side : {&baseline, &candidate}) {
    for (const auto& saved : *side) {
      if (!saved.run.run_id.empty() && !seen.insert(saved.run.run_id).second)
        throw UsageError(fmt::format("gate: the run {} is given twice", saved.run.run_id),
                         "Each folder is one run, on one side. --force accepts it anyway.");
    }
  }
}

std::vector<RunResult> results_of(const std::vector<SavedRun>& saved) {
  std::vector<RunResult> results;
  for (const auto& one : saved) results.push_back(one.run);
  return results;
}

Verdict judged(const SavedRun& saved, const SavedGatePlan& plan) {
  return judge_assertions(saved.run, saved.records, plan.asserts, plan.assert_point);
}

Verdict judged(const SavedGatePlan& plan) {
  const auto baseline = read_all(plan.baseline), candidate = read_all(plan.candidate);
  if (baseline.empty()) return judged(candidate.front(), plan);
  if (!plan.rule.forced) refuse_twins(baseline, candidate);
  Verdict verdict = judge_runs(plan.rule, results_of(baseline), results_of(candidate));
  for (const auto& saved : candidate) {
    if (!plan.asserts.empty()) verdict = joined(std::move(verdict), judged(saved, plan));
  }
  return verdict;
}

}  // namespace

SavedGate gate_saved(const SavedGatePlan& plan) {
  SavedGate gate{.verdict = judged(plan), .directory = {}};
  exit_code_by(plan.on_inconclusive, gate.verdict);
  const ResultFolder folder(plan.directory.empty() ? free_directory("gate") : plan.directory);
  folder.write_verdict(verdict_to_json(gate.verdict));
  gate.directory = folder.path();
  return gate;
}

}  // namespace infermeter
