#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "cli/gate.hpp"
#include "cli/options/config_sources.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/options/secrets.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/process/bounded_log.hpp"
#include "model/secrets/shell_secrets.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kLocalServer = "http://localhost:8000";
constexpr std::uint32_t kFewestPairs = 6, kMostPairs = 200;
constexpr std::uint32_t kNoisePairs = 10;  // for --aa
constexpr std::uint32_t kMostBlocks = 100;

/// `--baseline b1 b2 b3 --candidate c1 c2`, as a shell expands b*: arguments after a folder belong to the
/// same side. Without --candidate only the folder after --baseline is the baseline, and the following ones
/// are the candidate's.
std::vector<Given> with_folders_named(std::vector<Given> typed) {
  if (std::ranges::find(typed, "candidate", &Given::option) == typed.end()) return typed;
  std::string_view side;
  for (auto& given : typed) {
    if (given.option == "baseline" || given.option == "candidate")
      side = given.option == "baseline" ? "baseline" : "candidate";
    else if (given.option != "results")
      side = {};
    else if (!side.empty())
      given = {std::string(side), fmt::format("--{}", side), given.texts};
  }
  return typed;
}

struct Typed {
  Values own{gate_own_options()};
  std::vector<Given> of_run;
};

Typed split_typed(const std::vector<Given>& all) {
  Typed typed;
  const auto own = gate_own_options();
  for (const auto& given : with_folders_named(all)) {
    if (std::ranges::find(own, given.option, &OptionSpec::name) != own.end())
      typed.own.add(given);
    else
      typed.of_run.push_back(given);
  }
  return typed;
}

/// A tail percentile varies more than the median (METHOD 5.6): the factor by which its limits are wider.
double width_of(const std::string& statistic) {
  if (statistic == "p95") return 2;
  return statistic == "p99" || statistic == "p99.9" ? 5 : 1;
}

struct Effects {
  double least = 0.05, most = 0.10;
};

double effect_of(const std::string& origin, const std::string& text) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  const double effect = parse_number(origin, number) / (percent ? 100 : 1);
  if (effect <= 0 || effect >= 10)
    throw UsageError(fmt::format("{}: '{}' is not a change above 0, such as 5%", origin, text));
  return effect;
}

Effects effects_of(const Values& own) {
  Effects effects;
  effects.least = effect_of(own.origin("min-effect"), own.text("min-effect"));
  effects.most = own.given("max-effect") ? effect_of(own.origin("max-effect"), own.text("max-effect"))
                                         : 2 * effects.least;
  if (effects.most < effects.least)
    throw UsageError(fmt::format("{}: {} is below {} of --min-effect", own.origin("max-effect"),
                                 own.text("max-effect"), own.text("min-effect")));
  return effects;
}

/// `ttft.p50`, `tpot.p50:5%`, `ttft.p95:10%/20%`.
GatedMetric gated_metric(const Values& own, const std::string& text, const Effects& effects) {
  const std::string origin = own.origin("metric");
  const std::size_t colon = text.find(':');
  const Threshold named = parse_threshold(origin, text.substr(0, colon) + " < 0");
  const double width = width_of(named.statistic);
  GatedMetric metric{named.metric, named.statistic, effects.least * width, effects.most * width};
  if (colon == std::string::npos) return metric;
  const std::size_t slash = text.find('/', colon);
  metric.least = effect_of(origin, text.substr(colon + 1, slash - colon - 1));
  metric.most = slash == std::string::npos ? 2 * metric.least : effect_of(origin, text.substr(slash + 1));
  if (metric.most < metric.least)
    throw UsageError(fmt::format("{}: '{}' has a maximum effect below its minimum", origin, text));
  return metric;
}

/// --metric, --min-effect, --max-effect, --max-error-increase, --session-effect, --force.
GateRule rule_of(const Values& own, bool with_slos) {
  const Effects effects = effects_of(own);
  GateRule rule = default_gate_rule(with_slos);
  for (auto& metric : rule.metrics) {
    metric.least = effects.least * width_of(metric.statistic);
    metric.most = effects.most * width_of(metric.statistic);
  }
  if (own.given("metric")) {
    rule.metrics.clear();
    for (const auto& text : own.parts("metric")) rule.metrics.push_back(gated_metric(own, text, effects));
  }
  rule.error_share = parse_share(own.origin("max-error-increase"), own.text("max-error-increase"));
  rule.session_effect = effect_of(own.origin("session-effect"), own.text("session-effect"));
  rule.forced = own.flag("force");
  return rule;
}

/// The runs that fit into a time budget: the number of pairs, and the length of each run.
struct GateBudget {
  std::uint32_t pairs = 0;
  nanoseconds run{};
};

/// As many pairs as leave each run ten seconds, at least those of the first look. `around`: the time of a run
/// outside its measured phase. Throws if not even runs of two seconds fit.
GateBudget fit_budget(std::span<const std::uint32_t> looks, nanoseconds budget, nanoseconds around) {
  constexpr nanoseconds kGood = 10s, kShortest = 2s, kLongest = 120s;
  const auto run_of = [&](std::uint32_t pairs) { return budget / (2 * pairs) - around; };
  GateBudget fit{looks.front(), run_of(looks.front())};
  if (fit.run < kShortest)
    throw UsageError(fmt::format("--budget: {} is too short for {} pairs of runs; {} is enough",
                                 format_duration(budget), looks.front(),
                                 format_duration(2 * looks.front() * (around + kShortest))));
  for (const std::uint32_t pairs : looks) {
    if (run_of(pairs) >= kGood) fit = {pairs, run_of(pairs)};
  }
  fit.run = std::min(fit.run, kLongest);
  return fit;
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
                     std::string(kGateExamples));
}

void refuse_mixed_ways(const Values& own) {
  for (const auto* saved : {"baseline", "candidate"}) {
    for (const auto* live :
         {"baseline-url", "candidate-url", "baseline-cmd", "candidate-cmd", "aa", "budget"})
      refuse_both(own, saved, live);
  }
  // A single URL together with commands says where they serve.
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
  throw UsageError("gate: nothing to compare or check", std::string(kGateExamples));
}

void put_url(std::string_view side, const std::string& origin, const std::string& url,
             std::vector<Given>& of_run) {
  of_run.push_back({"url", origin, {fmt::format("{}={}", side, url)}});
}

/// The URLs of both sides as a run with two targets.
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
      plan.targets.size() == 1 ? "--aa measures one server against itself." : std::string(kGateExamples));
}

void pair_points(const GateRequest& request, Plan& plan) {
  if (plan.sweep.points.size() != 1)
    throw UsageError(fmt::format("gate: {} loads are a sweep; a gate has one", plan.sweep.points.size()));
  if (!plan.sweep.points.front().stages.empty())
    throw UsageError("gate: --stages has no constant load to compare");
  plan.target_order = TargetOrder::pairs;
  // Pairs with an untrustworthy run are repeated, at most half of all pairs.
  plan.sweep.runs = request.rule.looks.back() + std::max(5u, request.rule.looks.back()) + 1;
  plan.sweep.points = repeated(plan.sweep.points, plan.sweep.runs);
}

/// The time of a run outside its measured phase, as far as it is known before: warm-up and drain, and for a
/// command its start.
nanoseconds around_a_run(GateKind kind, const Load& load) {
  constexpr nanoseconds kStart = 30s, kGateWarmup = 1s, kDrain = 2s;
  return load.warmup_duration.value_or(kGateWarmup) + kDrain + (kind == GateKind::commands ? kStart : 0s);
}

/// With commands, runs may have a given length: then the budget limits the number of pairs.
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
      own.refuse("budget", fmt::format("is too short for {} pairs of runs of {}", fewest,
                                       format_duration(*load.duration)));
    return;
  }
  const GateBudget fit = fit_budget(request.rule.looks, *request.budget, around_a_run(request.kind, load));
  request.rule.looks = gate_looks(fit.pairs);
  load.duration = fit.run;
}

/// The plan of a measuring gate: live, or with commands.
void read_runs(const Values& own, Settings settings, const Invocation& invocation, GateRequest& request) {
  const bool commands = request.kind == GateKind::commands;
  const Settings as_given = settings;
  put_default_length(settings, commands);
  RunRequest& run = request.run;
  run.plan = plan_of(settings, invocation.variables, invocation.here);
  run.plan.command_line = shown_command(invocation);
  read_what_to_say(settings.values, run);
  pair_targets(own, run.plan);
  use_network_variables(run.plan, invocation.variables);
  const auto& classes = run.plan.classes;
  request.rule =
      rule_of(own, std::ranges::any_of(classes, [](const TrafficClass& c) { return !c.slos.empty(); }));
  const std::uint32_t most = static_cast<std::uint32_t>(own.count("max-pairs", kFewestPairs, kMostPairs));
  request.rule.looks = gate_looks(request.aa && !own.given("max-pairs") ? kNoisePairs : most);
  apply_budget(own, as_given, request, run.plan);
  pair_points(request, run.plan);
  run.warnings = warnings_of(as_given, run.plan, invocation.variables);
  if (!commands) return;
  request.commands = {own.text("baseline-cmd"),
                      request.aa ? own.text("baseline-cmd") : own.text("candidate-cmd")};
  request.log_limit = parse_bytes(own.origin("log-limit"), own.text("log-limit"));
  if (request.log_limit < BoundedLog::kLeast)
    own.refuse("log-limit", fmt::format("is under {}", format_bytes(BoundedLog::kLeast)));
  add_variables(invocation.variables, run.plan.secrets);
  for (const auto& command : request.commands) {
    for (auto& secret : secrets_in_command(command)) run.plan.secrets.push_back(std::move(secret.value));
  }
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

/// Saved results are judged, not measured: formats that need records are rejected.
void refuse_run_formats(const Values& values) {
  const Format format = format_of(values);
  if (format_named(format.name).verdict == nullptr)
    values.refuse("format", "is made of a run's records: `infermeter report DIR` renders those");
}

void read_saved(const Typed& typed, const Invocation& invocation, GateRequest& request) {
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
                     std::string(kGateExamples));
  const Values values(run_options(), typed.of_run);
  refuse_run_formats(values);
  Asserts asserts = asserts_of(values);
  request.run.plan.asserts = std::move(asserts.thresholds);
  request.run.plan.assert_point = asserts.by_point;
  request.run.plan.output = output_of(values);
  request.run.plan.command_line = shown_command(invocation);
  read_what_to_say(values, request.run);
  if (request.kind == GateKind::assertions && request.run.plan.asserts.empty())
    throw UsageError("gate: nothing to check the result against: give --assert or --baseline",
                     std::string(kGateExamples));
  request.rule = rule_of(own, false);
}

}  // namespace

GateRequest gate_request(const Invocation& invocation) {
  Typed typed = split_typed(invocation.typed);
  const Values& own = typed.own;
  GateRequest request;
  request.aa = own.flag("aa");
  constexpr std::array<std::string_view, 3> kOnInconclusive{"exit5", "fail", "pass"};
  request.on_inconclusive = static_cast<OnInconclusive>(own.choice("on-inconclusive", kOnInconclusive));
  const bool commands = own.given("baseline-cmd") || own.given("candidate-cmd");
  if (commands) check_commands(own);
  const bool saved =
      own.given("baseline") || own.given("candidate") || (own.given("results") && first_url(own).empty());
  if (saved && !commands) {
    request.kind = kind_of(own, nullptr);
    read_saved(typed, invocation, request);
    return request;
  }
  put_urls(own, commands, typed.of_run);
  const Settings settings = join_sources(invocation.variables, typed.of_run);
  request.kind = kind_of(own, &settings);
  read_runs(own, settings, invocation, request);
  return request;
}

}  // namespace infermeter
