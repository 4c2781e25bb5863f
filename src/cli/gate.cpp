#include "cli/gate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>

#include "analysis/assertions/assertions.hpp"
#include "cli/gate_end.hpp"
#include "cli/gate_saved.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "infermeter/base/units.hpp"
#include "io/files/result_folder.hpp"
#include "io/host/host_facts.hpp"
#include "report/json/result_json.hpp"
#include "report/json/verdict_json.hpp"
#include "run/gate/command_servers.hpp"
#include "run/gate/pair_watch.hpp"
#include "run/gate/pooled_candidate.hpp"
#include "run/measured_run.hpp"
#include "run/run_setup.hpp"

namespace infermeter {
namespace {

constexpr double kQuietCv = 0.03, kNoisyCv = 0.07;  // of runs, as METHOD 5.6 tells of them

std::string found_words(const GateRule& rule, double cv) {
  const auto change = smallest_change_found(rule, cv);
  return change ? fmt::format("of {:.0f} %", 100 * *change)
                : std::string("of no size (its pairs would differ too much)");
}

std::string run_length(const Load& load) {
  return load.duration ? format_duration(*load.duration)
                       : fmt::format("{} requests", load.requests.value_or(0));
}

/// What is about to be done, and what it can find.
void say_what_can_be_found(const GateRequest& request, const Say& say) {
  const auto& rule = request.rule;
  say(
      fmt::format(" up to {} pairs of runs of {}: finds a change {} in TTFT p50 19 times in 20 where runs "
                  "vary by 3 %, {} where by 7 %",
                  rule.looks.back(), run_length(request.run.plan.sweep.points.front()),
                  found_words(rule, kQuietCv), found_words(rule, kNoisyCv)));
}

/// "baseline   http://a:8000/v1/chat/completions   llama-3.1-8b"
void say_who(std::span<const PreparedTarget> prepared, const Say& say) {
  for (const auto& target : prepared)
    say(fmt::format(" {:<10} {}   {}", target.facts.name, target.facts.url, target.facts.model));
}

void refuse_different_servers(const GateRequest& request, std::span<const PreparedTarget> prepared) {
  const std::string different = different_servers(prepared[0].facts, prepared[1].facts);
  if (request.rule.forced || different.empty()) return;
  throw EnvironmentError(different, "--force compares them all the same; --model names one that both have.");
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

struct LiveGate {
  const GateRequest& request;
  Plan plan;
  std::unique_ptr<sim::Server> simulator;
  ProgressStyle style;
  Say say;
};

LiveGate prepared_gate(const GateRequest& request) {
  LiveGate gate{.request = request,
                .plan = plan_with_simulator(request.run),
                .simulator = start_simulator(plan_with_simulator(request.run)),
                .style = {},
                .say = {}};
  gate.plan.asserts.clear();  // they are for the candidate's runs together, not for each
  for (auto& target : gate.plan.targets) {
    if (gate.simulator) target.url = gate.simulator->url();
  }
  gate.style = progress_style(gate.plan);
  gate.say = say_progress(gate.style);
  // A line a pair is enough where lines stay.
  if (gate.style.kind == Progress::plain) gate.style.kind = Progress::none;
  return gate;
}

/// What kept the run from its end, where anything did.
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

/// A server that dies, or never gets ready, ends the gate with an error; reports of the folder tell it too.
void measure_or_tell(MeasuredRun& run, const PairWatch& watch, const ResultFolder& folder) {
  try {
    run.measure(folder);
  } catch (const Error& error) {
    RunResult result = run.result();
    result.ended_early = error.what();
    result.verdict = watch.end(result);
    note_early_end(result, *result.verdict);
    result.verdict->exit_code = static_cast<int>(error.code());
    if (!result.points.empty()) folder.write_result(result_to_json(result));
    folder.write_verdict(verdict_to_json(*result.verdict));
    throw;
  }
}

Verdict final_verdict(const LiveGate& gate, const PairWatch& watch, const MeasuredRun& run) {
  Verdict verdict = with_assertions(watch.end(run.result()), gate.request.run.plan, run);
  note_early_end(run.result(), verdict);
  if (gate.request.aa) {
    auto notes = noise_notes(gate.request.rule, run.result());
    std::ranges::move(notes, std::back_inserter(verdict.notes));
  }
  return verdict;
}

ExitCode run_code(const MeasuredRun& run, const PairWatch& watch, Verdict& verdict, OnInconclusive policy) {
  const ExitCode judged = by_policy(verdict, policy);
  const ExitCode measured = run.verdict();
  const bool cut = measured == ExitCode::interrupted || measured == ExitCode::environment;
  const ExitCode code = cut ? measured : watch.not_alike().empty() ? judged : ExitCode::environment;
  verdict.exit_code = static_cast<int>(code);
  return code;
}

ExitCode live_gate(const GateRequest& request) {
  const std::atomic<bool>& interrupt = watch_signals();
  raise_open_files_limit();
  LiveGate gate = prepared_gate(request);
  const Plan& plan = gate.plan;
  const ResultFolder folder(plan.output.directory.empty() ? free_directory("gate") : plan.output.directory);
  std::optional<CommandServers> servers;
  if (request.kind == GateKind::commands)
    servers.emplace(request.commands, plan, folder.path(), interrupt, gate.say);
  say_what_can_be_found(request, gate.say);
  MeasuredRun run(plan, open_all_data(plan, gate.say), gate.style, servers ? servers->stop() : interrupt,
                  gate.say, servers ? &*servers : nullptr);
  if (!servers) {
    say_who(run.prepared(), gate.say);
    refuse_different_servers(request, run.prepared());
  }
  const GatePlan watched{.plan = plan,
                         .rule = request.rule,
                         .on_inconclusive = request.on_inconclusive,
                         .budget = request.budget,
                         .aa = request.aa,
                         .commands = request.commands};
  PairWatch watch(watched, gate.say);
  run.after_each_point([&](const RunResult& result) { return watch.look(result); });
  measure_or_tell(run, watch, folder);

  RunResult result = run.result();
  result.verdict = final_verdict(gate, watch, run);
  const ExitCode code = run_code(run, watch, *result.verdict, request.on_inconclusive);
  folder.write_result(result_to_json(result));
  folder.write_verdict(verdict_to_json(*result.verdict));
  print_gate(plan.output, *result.verdict, &result, run.records(), folder.path());
  return code;
}

}  // namespace

ExitCode gate_command(const GateRequest& request) {
  switch (request.kind) {
    case GateKind::live:
    case GateKind::commands:
      return live_gate(request);
    case GateKind::saved:
      return saved_gate(request);
    case GateKind::assertions:
      return assertions_gate(request);
  }
  return ExitCode::usage;
}

}  // namespace infermeter
