#include "infermeter/run/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "infermeter/analysis/assertions.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/result_folder.hpp"
#include "model/secrets/shell_secrets.hpp"
#include "run/exit_codes.hpp"
#include "run/gate/command_servers.hpp"
#include "run/gate/pairs.hpp"
#include "run/hand_out.hpp"
#include "run/measured_run.hpp"
#include "run/setup.hpp"

namespace infermeter {
namespace {

constexpr double kQuietCv = 0.03, kNoisyCv = 0.07;  // of runs, from METHOD 5.6

std::string detected(const GateRule& rule, double cv) {
  const auto change = smallest_change_found(rule, cv);
  return change ? fmt::format("≥ {:.0f} %", 100 * *change) : std::string("none");
}

std::string run_length(const Load& load) {
  return load.duration ? format_duration(*load.duration)
                       : fmt::format("{} requests", load.requests.value_or(0));
}

/// Prints the plan of the gate, and the changes it can detect.
void say_what_is_detected(const GatePlan& plan, const Say& say) {
  const auto& rule = plan.rule;
  say(fmt::format(
      " up to {} pairs of runs of {}: detects changes in TTFT p50 {} (95 % power) at 3 % noise, {} at 7 %",
      rule.looks.back(), run_length(plan.plan.sweep.points.front()), detected(rule, kQuietCv),
      detected(rule, kNoisyCv)));
}

/// "baseline   http://a:8000/v1/chat/completions   llama-3.1-8b"
void say_who(std::span<const PreparedTarget> prepared, const Say& say) {
  for (const auto& target : prepared)
    say(fmt::format(" {:<10} {}   {}", target.facts.name, target.facts.url, target.facts.model));
}

void refuse_different_servers(const GatePlan& plan, std::span<const PreparedTarget> prepared) {
  const std::string different = different_servers(prepared[0].facts, prepared[1].facts);
  if (plan.rule.forced || different.empty()) return;
  throw EnvironmentError(different, "--force compares them anyway; --model names a model that both have.");
}

Verdict with_assertions(Verdict verdict, const Plan& plan, const MeasuredRun& run) {
  if (plan.asserts.empty()) return verdict;
  const PooledRun candidate =
      pooled_candidate(run.result(), run.records(), counted_points(run.result(), verdict));
  return joined(std::move(verdict),
                judge_assertions(candidate.run, candidate.records, plan.asserts, plan.assert_point));
}

std::vector<std::string> noise_notes(const GateRule& rule, const RunResult& run) {
  std::vector<std::string> notes;
  for (const auto& noise : noise_of_pairs(rule, pairs_of(run))) {
    if (!noise.spread) continue;
    const std::string metric =
        noise.statistic.empty() ? noise.metric : fmt::format("{}.{}", noise.metric, noise.statistic);
    notes.push_back(fmt::format("{}: two equal runs differ by {:.1f} % (standard deviation)", metric,
                                100 * *noise.spread));
    if (noise.least)
      notes.back() += fmt::format("; --metric {}:{:.0f}% or more keeps false alarms under 1 in 100", metric,
                                  std::ceil(100 * *noise.least));
  }
  return notes;
}

/// Notes in the verdict why the run ended early, if it did.
void note_early_end(const RunResult& run, Verdict& verdict) {
  std::vector<std::string> reasons{run.ended_early, run.sweep_ended};
  for (const auto& target : run.targets) {
    if (!target.ended_early.empty()) reasons.push_back(target.name + ": " + target.ended_early);
  }
  for (const auto& reason : reasons) {
    const std::string note = "Ended early: " + reason;
    if (!reason.empty() && std::ranges::find(verdict.notes, note) == verdict.notes.end())
      verdict.notes.push_back(note);
  }
}

/// A server that dies, or never becomes ready, ends the gate with an error; reports of the folder show it
/// too.
void measure_or_tell(MeasuredRun& run, const PairWatch& watch, ResultFolder& folder) {
  try {
    run.measure(&folder);
  } catch (const Error& error) {
    RunResult result = run.result();
    result.ended_early = error.what();
    result.verdict = watch.end(result);
    note_early_end(result, *result.verdict);
    result.verdict->exit_code = static_cast<int>(error.code());
    folder.expect_last_files();
    folder.write_verdict(verdict_to_json(*result.verdict));
    if (!result.points.empty()) folder.write_result(result_to_json(result));
    throw;
  }
}

Verdict final_verdict(const GatePlan& gate, const PairWatch& watch, const MeasuredRun& run) {
  Verdict verdict = with_assertions(watch.end(run.result()), gate.plan, run);
  note_early_end(run.result(), verdict);
  if (gate.aa) {
    auto notes = noise_notes(gate.rule, run.result());
    std::ranges::move(notes, std::back_inserter(verdict.notes));
  }
  return verdict;
}

ResultFolder gate_folder(const std::string& directory) {
  return directory.empty() ? new_folder("gate") : ResultFolder(directory);
}

RunResult judged_pairs(const GatePlan& gate, const Hooks& hooks) {
  Plan plan = completed(gate.plan);
  for (const auto& command : gate.commands) {
    for (auto& secret : secrets_in_command(command)) plan.secrets.push_back(std::move(secret.value));
  }
  plan.asserts.clear();  // the assertions are for the candidate's runs together, not for each run
  MeasuredSimulator simulator(plan);
  ResultFolder folder = gate_folder(plan.output.directory);
  PairWatch watch(gate, hooks.say);
  const TimeLimit limit = limit_of(plan, *hooks.stop);
  Hooks own = hooks;
  own.point_end = [&](const RunResult& so_far) { return watch.look(so_far) || hooks.point_end(so_far); };
  std::optional<CommandServers> servers;
  if (gate.starts_servers()) {
    servers.emplace(gate.commands, plan, folder.path(), gate.log_limit, limit, hooks.say);
  }
  say_what_is_detected(gate, hooks.say);
  MeasuredRun run(plan, open_all_data(plan, hooks.warn), own,
                  servers ? limit.stopped_by(servers->stop()) : limit, servers ? &*servers : nullptr);
  hooks.begin(run.result(), folder.path());
  if (!servers) {
    say_who(run.prepared(), hooks.say);
    refuse_different_servers(gate, run.prepared());
  }
  watch.begin();
  measure_or_tell(run, watch, folder);
  simulator.tell(hooks.warn);
  RunResult result = run.result();
  result.verdict = final_verdict(gate, watch, run);
  exit_code_of_gate(run.result(), watch.not_alike().empty(), gate.on_inconclusive, *result.verdict);
  hand_out(result, run, &folder, hooks, true);
  return result;
}

std::vector<SavedRun> read_all(const std::vector<std::string>& directories) {
  std::vector<SavedRun> saved;
  for (const auto& directory : directories) {
    refuse_unfinished(directory);
    saved.push_back(read_saved_run(directory));
  }
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

RunResult gate(const GatePlan& plan, const Hooks& hooks) {
  const BlockedSignals blocked;
  return throwing_errors_only([&] { return judged_pairs(plan, completed(hooks)); });
}

SavedGate gate_saved(const SavedGatePlan& plan) {
  ResultFolder folder = gate_folder(plan.directory);
  SavedGate gate{.verdict = judged(plan), .directory = folder.path()};
  exit_code_by(plan.on_inconclusive, gate.verdict);
  folder.expect_last_files();
  folder.write_verdict(verdict_to_json(gate.verdict));
  return gate;
}

}  // namespace infermeter
