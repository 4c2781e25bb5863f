#include "cli/gate_saved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/assertions/assertions.hpp"
#include "cli/gate_end.hpp"
#include "io/files/result_folder.hpp"
#include "report/json/verdict_json.hpp"
#include "run/run_setup.hpp"
#include "run/saved_run.hpp"

namespace infermeter {
namespace {

std::vector<SavedRun> read_all(const std::vector<std::string>& directories) {
  std::vector<SavedRun> saved;
  for (const auto& directory : directories) saved.push_back(read_saved_run(directory));
  return saved;
}

/// A wrong path in a job must not compare a run with itself for ever, nor make one run several.
void refuse_twins(const std::vector<SavedRun>& baseline, const std::vector<SavedRun>& candidate) {
  std::set<std::string> seen;
  for (const auto* side : {&baseline, &candidate}) {
    for (const auto& saved : *side) {
      if (!saved.run.run_id.empty() && !seen.insert(saved.run.run_id).second)
        throw UsageError(fmt::format("gate: the run {} is given twice", saved.run.run_id),
                         "Each folder is a run of its own, on one side. --force takes it all the same.");
    }
  }
}

std::vector<RunResult> results_of(const std::vector<SavedRun>& saved) {
  std::vector<RunResult> results;
  for (const auto& one : saved) results.push_back(one.run);
  return results;
}

ExitCode end(const GateRequest& request, Verdict verdict) {
  const ExitCode code = by_policy(verdict, request.on_inconclusive);
  const Output& output = request.run.plan.output;
  const ResultFolder folder(output.directory.empty() ? free_directory("gate") : output.directory);
  folder.write_verdict(verdict_to_json(verdict));
  print_gate(output, verdict, nullptr, {}, folder.path());
  return code;
}

Verdict judged(const SavedRun& saved, const Plan& plan) {
  return judge_assertions(saved.run, saved.records, plan.asserts, plan.assert_point);
}

}  // namespace

ExitCode saved_gate(const GateRequest& request) {
  const auto baseline = read_all(request.baseline), candidate = read_all(request.candidate);
  if (!request.rule.forced) refuse_twins(baseline, candidate);
  Verdict verdict = judge_runs(request.rule, results_of(baseline), results_of(candidate));
  const Plan& plan = request.run.plan;
  for (const auto& saved : candidate) {
    if (!plan.asserts.empty()) verdict = joined(std::move(verdict), judged(saved, plan));
  }
  return end(request, std::move(verdict));
}

ExitCode assertions_gate(const GateRequest& request) {
  const SavedRun saved = read_saved_run(request.candidate.front());
  return end(request, judged(saved, request.run.plan));
}

}  // namespace infermeter
