#include "cli/options/plan_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/options/secrets.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/proxy.hpp"
#include "run/plan_hash.hpp"
#include "sim/http/server.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxRetries = 100;

Timeouts timeouts_of(const Values& values) {
  Timeouts timeouts;
  timeouts.connect = values.positive_duration("timeout-connect");
  timeouts.first_token = values.positive_duration("timeout-first-token");
  timeouts.gap = values.positive_duration("timeout-gap");
  timeouts.idle = values.positive_duration("timeout-idle");
  timeouts.whole = values.positive_duration("timeout");
  if (values.given("timeout-drain")) timeouts.drain = values.positive_duration("timeout-drain");
  if (values.given("timeout-command")) timeouts.command = values.positive_duration("timeout-command");
  timeouts.prepare = values.positive_duration("prepare-timeout");
  return timeouts;
}

std::optional<SimulatedServer> simulator_of(const Values& values) {
  if (!values.given("sim")) return std::nullopt;
  const std::string preset = values.text("sim");
  if (preset.find("://") != std::string::npos)
    throw UsageError(fmt::format("{} and a URL exclude each other", values.origin("sim")),
                     "--sim measures the built-in simulator, a URL a server.");
  return SimulatedServer{.preset = preset.empty() ? sim::ServerOptions{}.preset : preset,
                         .faults = values.list("fault"),
                         .truth = values.text("truth")};
}

std::pair<std::string, std::string> label_of(const std::string& origin, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("{}: '{}' is not of the form K=V", origin, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Progress progress_of(const Values& values) {
  constexpr std::array<std::string_view, 5> kNames{"auto", "bar", "plain", "json", "none"};
  if (values.flag("quiet")) return Progress::none;
  return static_cast<Progress>(values.choice("progress", kNames));
}

/// `-n 1` sends one request: preflight runs only if --preflight asks for it.
bool has_preflight(const Values& values, const Sweep& sweep) {
  if (values.mentioned("no-preflight")) return !values.flag("no-preflight");
  return sweep.points.size() > 1 || sweep.points.front().requests != 1u;
}

void check_trace(const Values& values, const Plan& plan) {
  const bool replays = plan.sweep.points.front().arrival == Arrival::trace;
  const bool has_file =
      std::ranges::any_of(plan.classes, [](const TrafficClass& c) { return !c.prompts.file.empty(); });
  if (replays && !has_file)
    throw UsageError(fmt::format("{}: 'trace' needs --workload FILE, whose timestamps it replays",
                                 values.origin("arrival")));
}

/// Rejects options of a class that are excluded by the run's load.
void check_class(const Values& run, const Values& own, const TrafficClass& traffic) {
  const auto refuse = [&](std::string_view one, std::string_view other, std::string_view advice) {
    throw UsageError(fmt::format("{} and {} exclude each other", run.origin(one), own.origin(other)),
                     std::string(advice));
  };
  if (run.given("max-in-flight") && !traffic.probe && traffic.prompts.conversations())
    refuse("max-in-flight", "turns", "A conversation would occupy its slot during think time.");
  if (!run.given("shape")) return;
  if (!traffic.prompts.file.empty())
    refuse("shape", "workload", "The items of a data file have their own lengths.");
  if (!traffic.prompts.prompts.empty())
    refuse("shape", own.given("prompt") ? "prompt" : "prompt-file", "Your own prompts are sent as they are.");
}

void check_classes(const Settings& settings, const Plan& plan) {
  for (std::size_t i = 0; i < plan.classes.size(); ++i)
    check_class(settings.values, settings.classes.empty() ? settings.values : settings.classes[i].values,
                plan.classes[i]);
}

void read_failures(const Values& values, Plan& plan) {
  if (values.text("max-error-rate") != "off")
    plan.max_error_rate = parse_share(values.origin("max-error-rate"), values.text("max-error-rate"));
  constexpr std::array<std::string_view, 3> kOnLimit{"count", "wait", "stop"};
  plan.on_rate_limit = static_cast<OnRateLimit>(values.choice("on-rate-limit", kOnLimit));
  if (values.given("max-time")) plan.max_time = values.positive_duration("max-time");
  plan.retries = static_cast<std::uint32_t>(values.count("retries", 0, kMaxRetries));
}

void read_asserts(const Values& values, Plan& plan) {
  auto asserts = asserts_of(values);
  plan.asserts = std::move(asserts.thresholds);
  plan.assert_point = asserts.by_point;
  check_scopes(values.origin("assert"), plan);
}

void read_comparison(const Values& values, Plan& plan) {
  for (const auto* name : {"against", "sort"}) {
    if (values.given(name) && plan.targets.size() < 2)
      throw UsageError(fmt::format("{} needs several targets", values.origin(name)));
  }
  std::vector<std::string> names;
  for (const auto& target : plan.targets) names.push_back(target.name);
  if (values.given("against"))
    plan.against = target_named(values.origin("against"), values.text("against"), names);
  if (values.given("sort")) plan.sort = parse_figure(values.origin("sort"), values.text("sort"));
}

// Shards with common prompt openings need the same nonce.
void make_common_nonce(Plan& plan) {
  const auto entropy = common_entropy(plan);
  if (!entropy) return;
  for (auto& traffic : plan.classes) {
    Prompts& prompts = traffic.prompts;
    if (!prompts.nonce_given && !prompts.nonce.empty()) prompts.nonce = make_nonce(*entropy);
  }
}

/// Splits at commas outside brackets.
std::vector<std::string> split_expressions(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string plain(double value) { return fmt::format("{:.6g}", value); }

/// 8 and 8.0 are the same load.
std::string as_shown(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? plain(value) : text;
}

std::vector<std::string> scope_values(const Plan& plan, std::string_view key) {
  std::vector<std::string> values;
  const auto add = [&](const std::string& value) {
    if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  if (key == "target")
    for (const auto& target : plan.targets) {
      add(target.label);
      add(target.name);
    }
  if (key == "class")
    for (const auto& one : plan.classes) add(one.name);
  for (const auto& load : plan.sweep.points) {
    if (key == "concurrency" && !load.open_loop()) add(plain(load.concurrency));
    if (key == "rate" && load.rate) add(plain(*load.rate));
    if (key == "shape") add(load.shape_text);
    if (key == "run") add(plain(load.run));
  }
  return values;
}

/// A single target may have no name except its host's, which is known only after preflight.
bool is_known_later(const Plan& plan, std::string_view key) {
  return key == "target" && plan.targets.size() == 1 && plan.targets.front().name.empty();
}

std::string authorities_variable(const Variables& variables) {
  const auto it = variables.find("SSL_CERT_FILE");
  return it == variables.end() ? std::string() : it->second;
}

bool needs_authorities(const Target& target) {
  return target.ca_file.empty() && target.verify_tls && target.url.starts_with("https:");
}

}  // namespace

void use_network_variables(Plan& plan, const Variables& variables) {
  const std::string authorities = authorities_variable(variables);
  const bool readable = !authorities.empty() && access(authorities.c_str(), R_OK) == 0;
  for (auto& target : plan.targets) {
    const bool reached = !target.url.empty() && target.unix_socket.empty();
    if (reached && target.proxy.empty()) target.proxy = proxy_from(variables, target.url);
    if (readable && needs_authorities(target)) target.ca_file = authorities;
  }
}

std::string unread_authorities_note(const Plan& plan, const Variables& variables) {
  const std::string file = authorities_variable(variables);
  if (file.empty() || std::ranges::none_of(plan.targets, needs_authorities)) return {};
  if (access(file.c_str(), R_OK) == 0) return {};
  return fmt::format("SSL_CERT_FILE: '{}' cannot be read: {}; the system's certificate authorities are used",
                     file, std::generic_category().message(errno));
}

std::string format_choice(const Values& values, bool (*can)(const FormatSpec&)) {
  const std::string& name = values.text("format");
  const auto it = std::ranges::find(formats(), name, &FormatSpec::name);
  if (it == formats().end() || !can(*it)) values.refuse("format", "is not one of " + format_names(can));
  return name;
}

Format format_of(const Values& values) {
  Format format{format_choice(values, can_show_run), values.flag("per-request")};
  if (!format.per_request || can_list_requests(format_named(format.name))) return format;
  throw UsageError(
      fmt::format("{} goes with --format {}", values.origin("per-request"), format_names(can_list_requests)),
      "The other formats have one form each.");
}

Output output_of(const Values& values) {
  Output output;
  output.format = format_of(values);
  output.directory = values.text("out");
  output.save_gaps = !values.flag("no-save-gaps");
  output.save_text = values.flag("save-text");
  output.progress = progress_of(values);
  output.wide = values.flag("wide");
  output.comfort = values.positive_duration("comfort");
  for (const auto& text : values.list("label"))
    output.labels.push_back(label_of(values.origin("label"), text));
  return output;
}

Plan plan_of(const Settings& settings, const Variables& variables, const Surroundings& here) {
  const Values& values = settings.values;
  Plan plan;
  plan.scenario = settings.scenario;
  plan.targets = targets_of(settings, variables);
  plan.simulator = simulator_of(values);
  plan.target_order = target_order_of(values, plan.targets.size());
  read_comparison(values, plan);
  plan.timeouts = timeouts_of(values);
  plan.sweep = sweep_of(values);
  plan.classes = classes_of(settings, here.entropy);
  check_trace(values, plan);
  check_classes(settings, plan);
  plan.output = output_of(values);
  plan.wait_ready = values.duration("wait-ready");
  if (values.given("start-at"))
    plan.start_at_unix_ms =
        parse_start_time(values.origin("start-at"), values.text("start-at"), here.now_unix_ms);
  plan.shard = shard_of(values, variables);
  check_shard(values, plan);
  plan.preflight = has_preflight(values, plan.sweep);
  plan.strict = values.flag("strict");
  constexpr std::array<std::string_view, 2> kStamps{"kernel", "user"};
  plan.kernel_timestamps = values.choice("timestamps", kStamps) == 0;
  plan.metrics = {.on = !values.flag("no-metrics"),
                  .interval = values.positive_duration("metrics-interval"),
                  .headers = headers_of(values, "metrics-header")};
  read_failures(values, plan);
  read_asserts(values, plan);
  make_common_nonce(plan);
  return plan;
}

Asserts asserts_of(const Values& values) {
  Asserts out;
  for (const auto& text : values.list("assert")) {
    for (const auto& one : split_expressions(text)) {
      const auto from = std::min(one.find_first_not_of(' '), one.size());
      out.thresholds.push_back(parse_assertion(values.origin("assert"), std::string_view(one).substr(from)));
    }
  }
  out.by_point = values.flag("assert-point");
  return out;
}

void check_scopes(const std::string& origin, const Plan& plan) {
  for (const auto& assertion : plan.asserts) {
    for (const auto& [key, value] : assertion.scope) {
      if (is_known_later(plan, key)) continue;
      const auto known = scope_values(plan, key);
      if (std::ranges::find(known, as_shown(value)) != known.end() ||
          std::ranges::find(known, value) != known.end())
        continue;
      throw UsageError(fmt::format("{}: '{}' can never be checked: nothing here has {} {}", origin,
                                   assertion.text, key, value),
                       known.empty() ? fmt::format("This run has no {}.", key)
                                     : fmt::format("This run has {} {}.", key, fmt::join(known, ", ")));
    }
  }
}

std::uint32_t target_named(const std::string& origin, const std::string& name,
                           const std::vector<std::string>& names) {
  const auto it = std::ranges::find(names, name);
  if (it == names.end())
    throw UsageError(fmt::format("{}: no target is called '{}'", origin, name),
                     fmt::format("This run has {}.", fmt::join(names, ", ")));
  return static_cast<std::uint32_t>(it - names.begin());
}

}  // namespace infermeter
