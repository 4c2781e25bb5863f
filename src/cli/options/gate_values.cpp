#include "cli/options/gate_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/options/gate_rule.hpp"
#include "cli/options/load_values.hpp"
#include "cli/options/options_tokens.hpp"
#include "cli/shown_command.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kWays =
    "Two live servers:    infermeter gate --baseline-url URL --candidate-url URL\n"
    "One machine:         infermeter gate --baseline-cmd 'vllm serve …' --candidate-cmd '…'\n"
    "Saved results:       infermeter gate --baseline DIR DIR … --candidate DIR DIR …\n"
    "Limits alone:        infermeter gate DIR --assert 'ttft.p95 < 500ms'";
constexpr std::string_view kLocalServer = "http://localhost:8000";
constexpr std::uint32_t kFewestPairs = 6, kMostPairs = 200;
constexpr std::uint32_t kNoisePairs = 10;  // of --aa
constexpr std::uint32_t kMostBlocks = 100;

/// `--baseline b1 b2 b3 --candidate c1 c2`, as a shell makes of b*: each folder under its own option. Without
/// --candidate only the one behind --baseline is meant: what follows is the candidate's.
Words with_folders_named(const Words& words) {
  const bool both = std::ranges::find(words, "--candidate") != words.end();
  Words out;
  std::string list;
  bool first = false;
  for (const auto& word : words) {
    const bool option = word.starts_with('-') && word.size() > 1;
    if (option) {
      list = both && (word == "--baseline" || word == "--candidate") ? word : "";
      first = true;
    } else if (!list.empty() && !std::exchange(first, false)) {
      out.push_back(list);
    }
    out.push_back(word);
  }
  return out;
}

struct Typed {
  Values own{gate_own_options()};
  std::vector<Given> all, of_run;
  bool help = false;
};

Typed read_typed(const Words& words) {
  Typed typed;
  typed.all = read_tokens(gate_options(), with_folders_named(words));
  for (const auto& given : typed.all) {
    if (given.option == "help") typed.help = true;
    const bool own =
        std::ranges::find(gate_own_options(), given.option, &OptionSpec::name) != gate_own_options().end();
    if (own)
      typed.own.add(given);
    else
      typed.of_run.push_back(given);
  }
  return typed;
}

bool is_url(const std::string& text) { return text.find("://") != std::string::npos; }

std::string first_url(const Values& own) {
  const auto results = own.list("results");
  return own.given("baseline-url")                   ? own.text("baseline-url")
         : results.size() == 1 && is_url(results[0]) ? results[0]
                                                     : std::string();
}

void refuse_both(const Values& own, std::string_view one, std::string_view other) {
  if (own.given(one) && own.given(other))
    throw UsageError(fmt::format("{} and {} exclude each other", own.origin(one), own.origin(other)),
                     std::string(kWays));
}

void refuse_mixed_ways(const Values& own) {
  for (const auto* saved : {"baseline", "candidate"}) {
    for (const auto* live :
         {"baseline-url", "candidate-url", "baseline-cmd", "candidate-cmd", "aa", "budget"})
      refuse_both(own, saved, live);
  }
  // A lone URL beside commands says where they serve.
  if (first_url(own).empty())
    for (const auto* live : {"baseline-cmd", "candidate-cmd"}) refuse_both(own, "results", live);
  if (own.given("candidate") && own.given("results"))
    throw UsageError(fmt::format("'{}' belongs to no side", own.list("results")[0]),
                     "infermeter gate --baseline DIR DIR … --candidate DIR DIR …");
}

GateKind kind_of(const Values& own, const Settings* settings) {
  refuse_mixed_ways(own);
  if (own.given("baseline-cmd") || own.given("candidate-cmd")) return GateKind::commands;
  if (own.given("baseline") || own.given("candidate")) return GateKind::saved;
  if (!first_url(own).empty() || own.given("candidate-url")) return GateKind::live;
  if (own.given("results")) return GateKind::assertions;
  if (settings != nullptr && (!settings->targets.empty() || settings->values.given("sim")))
    return GateKind::live;
  throw UsageError("gate: there is nothing to judge", std::string(kWays));
}

void put_url(std::string_view side, const std::string& origin, const std::string& url,
             std::vector<Given>& of_run) {
  of_run.push_back({"url", origin, {fmt::format("{}={}", side, url)}});
}

/// The URLs of both sides as those of a run with two targets.
void put_urls(const Values& own, bool commands, std::vector<Given>& of_run) {
  std::string baseline = first_url(own);
  if (baseline.empty() && commands) baseline = kLocalServer;
  std::string candidate = own.text("candidate-url");
  const bool same = own.flag("aa") || commands;
  if (candidate.empty() && same) candidate = baseline;
  if (baseline.empty() && candidate.empty()) return;
  if (baseline.empty() || candidate.empty())
    throw UsageError(fmt::format("gate: a server to compare with is missing: --{}-url",
                                 baseline.empty() ? "baseline" : "candidate"),
                     "Both are measured in turn: --baseline-url URL --candidate-url URL.\n"
                     "Against itself, to see the noise: --aa URL.");
  if (own.flag("aa") && candidate != baseline)
    throw UsageError("--aa measures one server against itself: --candidate-url has no place beside it");
  put_url("baseline", own.origin("baseline-url"), baseline, of_run);
  put_url("candidate", own.origin("candidate-url"), candidate, of_run);
}

void put_default_length(Settings& settings, bool commands) {
  if (settings.values.given("requests") || settings.values.given("duration")) return;
  settings.values.add({"duration", "--duration", {commands ? "30s" : "15s"}});
}

void pair_targets(const Values& own, Plan& plan) {
  if (plan.targets.size() == 1 && own.flag("aa")) {
    plan.targets.push_back(plan.targets.front());
    plan.targets[0].name = "baseline";
    plan.targets[1].name = "candidate";
  }
  if (plan.targets.size() == 2) return;
  throw UsageError(
      fmt::format("gate: compares two servers, and there {} {}", plan.targets.size() == 1 ? "is" : "are",
                  plan.targets.size()),
      plan.targets.size() == 1 ? "--aa measures one server against itself." : std::string(kWays));
}

void pair_points(const GateRequest& request, Plan& plan) {
  if (plan.sweep.points.size() != 1)
    throw UsageError(fmt::format("gate: {} loads are a sweep; a gate has one", plan.sweep.points.size()));
  if (!plan.sweep.points.front().stages.empty())
    throw UsageError("gate: stages are no load whose runs are alike");
  plan.target_order = TargetOrder::pairs;
  // Pairs with a run that is not to be trusted are measured anew, half of all at most.
  plan.sweep.runs = request.rule.looks.back() + std::max(5u, request.rule.looks.back()) + 1;
  plan.sweep.points = repeated(plan.sweep.points, plan.sweep.runs);
}

/// What a run takes beside its measured phase, as far as it can be known before: warm-up and drain, and of a
/// command its start.
nanoseconds around_a_run(GateKind kind, const Load& load) {
  constexpr nanoseconds kStart = 30s, kGateWarmup = 1s, kDrain = 2s;
  return load.warmup_duration.value_or(kGateWarmup) + kDrain + (kind == GateKind::commands ? kStart : 0s);
}

/// Commands may have runs of a given length: then the budget cuts the pairs as it is used up.
bool has_own_length(const Values& own, const Settings& settings, GateKind kind) {
  for (const auto* length : {"requests", "duration"}) {
    if (!settings.values.given(length)) continue;
    if (kind == GateKind::commands) return true;
    throw UsageError(
        fmt::format("{} and {} exclude each other", own.origin("budget"), settings.values.origin(length)),
        "The budget chooses how long each run is.");
  }
  return false;
}

void apply_budget(const Values& own, const Settings& settings, GateRequest& request, Plan& plan) {
  if (!own.given("budget")) return;
  request.budget = own.positive_duration("budget");
  Load& load = plan.sweep.points.front();
  const std::uint32_t fewest = request.rule.looks.front();
  if (has_own_length(own, settings, request.kind)) {
    if (load.duration && !load.requests && 2 * fewest * *load.duration > *request.budget)
      own.refuse("budget",
                 fmt::format("holds no {} pairs of runs of {}", fewest, format_duration(*load.duration)));
    return;
  }
  const GateBudget fit = fit_budget(request.rule.looks, *request.budget, around_a_run(request.kind, load));
  request.rule.looks = gate_looks(fit.pairs);
  load.duration = fit.run;
}

/// What is measured: live, or by commands.
void read_runs(const Typed& typed, Settings settings, const Variables& variables, const Surroundings& here,
               GateRequest& request) {
  const Values& own = typed.own;
  const bool commands = request.kind == GateKind::commands;
  const Settings as_given = settings;
  put_default_length(settings, commands);
  RunRequest& run = request.run;
  run.sim = settings.values.given("sim");
  run.sim_preset = run.sim ? settings.values.text("sim") : std::string();
  if (run.sim && run.sim_preset.empty()) run.sim_preset = sim::ServerOptions{}.preset;
  run.plan = plan_of(settings, variables, here);
  run.plan.command_line = shown_command("gate", gate_options(), typed.all);
  run.faults = settings.values.list("fault");
  run.truth = settings.values.text("truth");
  run.quiet = settings.values.flag("quiet");
  pair_targets(own, run.plan);
  const auto& classes = run.plan.classes;
  request.rule =
      rule_of(own, std::ranges::any_of(classes, [](const TrafficClass& c) { return !c.slos.empty(); }));
  const std::uint32_t most = static_cast<std::uint32_t>(own.count("max-pairs", kFewestPairs, kMostPairs));
  request.rule.looks = gate_looks(request.aa && !own.given("max-pairs") ? kNoisePairs : most);
  apply_budget(own, as_given, request, run.plan);
  pair_points(request, run.plan);
  if (!commands) return;
  request.commands = {own.text("baseline-cmd"),
                      request.aa ? own.text("baseline-cmd") : own.text("candidate-cmd")};
  run.plan.wait_ready = own.positive_duration("ready-timeout");
  run.plan.sweep.blocks = static_cast<std::uint32_t>(own.count("blocks", 1, kMostBlocks));
}

void check_commands(const Values& own) {
  for (const auto* name : {"baseline-cmd", "candidate-cmd"}) {
    const bool needed = !(own.flag("aa") && std::string_view(name) == "candidate-cmd");
    if (needed && own.text(name).empty())
      throw UsageError(fmt::format("gate: --{} is missing: each side is started in turn", name));
  }
}

std::vector<std::string> folders(const Values& own, std::string_view option) {
  std::vector<std::string> all;
  for (const auto& text : own.list(option)) {
    if (is_url(text))
      throw UsageError(fmt::format("{}: '{}' is a URL, not a folder of results", own.origin(option), text),
                       "Live servers: --baseline-url URL --candidate-url URL.");
    all.push_back(text);
  }
  return all;
}

/// Saved results are judged, not measured: what is made of records has nothing to be made of.
void refuse_run_formats(const Values& values) {
  for (const auto* format : {"csv", "vllm", "html"}) {
    if (values.text("format") == format)
      values.refuse("format", "is made of a run's records: `infermeter report DIR` renders those");
  }
}

void read_saved(const Typed& typed, GateRequest& request) {
  const Values& own = typed.own;
  request.baseline = folders(own, "baseline");
  request.candidate = folders(own, own.given("candidate") ? "candidate" : "results");
  if (request.kind == GateKind::saved && (request.baseline.empty() || request.candidate.empty()))
    throw UsageError(
        fmt::format("gate: no result of the {}", request.baseline.empty() ? "baseline" : "candidate"),
        "infermeter gate --baseline DIR DIR … --candidate DIR DIR …");
  if (request.kind == GateKind::saved && !own.given("candidate") && request.candidate.size() > 1)
    throw UsageError(fmt::format("gate: is '{}' of the baseline or of the candidate?", request.candidate[0]),
                     "infermeter gate --baseline DIR DIR … --candidate DIR DIR …");
  if (request.kind == GateKind::assertions && request.candidate.size() != 1)
    throw UsageError(fmt::format("gate: {} results and no --baseline", request.candidate.size()),
                     std::string(kWays));
  Values values(run_options());
  for (const auto& given : typed.of_run) values.add(given);
  refuse_run_formats(values);
  Asserts asserts = asserts_of(values);
  request.run.plan.asserts = std::move(asserts.thresholds);
  request.run.plan.assert_point = asserts.by_point;
  request.run.plan.output = output_of(values);
  request.run.plan.command_line = shown_command("gate", gate_options(), typed.all);
  if (request.kind == GateKind::assertions && request.run.plan.asserts.empty())
    throw UsageError("gate: nothing to hold the result against: give --assert or --baseline",
                     std::string(kWays));
  request.rule = rule_of(own, false);
}

}  // namespace

Command gate_request(const Words& words, const Variables& variables, const Surroundings& here) {
  Typed typed = read_typed(words);
  if (typed.help) return ShowHelp{HelpTopic::gate};
  GateRequest request;
  request.aa = typed.own.flag("aa");
  constexpr std::array<std::string_view, 3> kOnInconclusive{"exit5", "fail", "pass"};
  request.on_inconclusive = static_cast<OnInconclusive>(typed.own.choice("on-inconclusive", kOnInconclusive));
  const bool commands = typed.own.given("baseline-cmd") || typed.own.given("candidate-cmd");
  if (commands) check_commands(typed.own);
  const bool saved = typed.own.given("baseline") || typed.own.given("candidate") ||
                     (typed.own.given("results") && first_url(typed.own).empty());
  if (saved && !commands) {
    request.kind = kind_of(typed.own, nullptr);
    read_saved(typed, request);
    return request;
  }
  put_urls(typed.own, commands, typed.of_run);
  const Settings settings = join_sources(variables, typed.of_run);
  request.kind = kind_of(typed.own, &settings);
  read_runs(typed, settings, variables, here, request);
  return request;
}

}  // namespace infermeter
