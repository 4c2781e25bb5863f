#include "plan_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/workload/prompts.hpp"
#include "target_values.hpp"
#include "text_file.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxSlots = 100'000;
constexpr std::uint64_t kMaxTokens = 10'000'000;
constexpr std::uint64_t kMaxRequests = 1'000'000'000;
constexpr std::uint64_t kMaxWorkers = 1024;

constexpr double kMaxRate = 1e6;
constexpr nanoseconds kDefaultDuration = 30s;
constexpr nanoseconds kDefaultOpenWarmup = 5s;

std::uint32_t small_count(const Values& values, std::string_view name, std::uint64_t most) {
  return static_cast<std::uint32_t>(values.count(name, 1, most));
}

/// `320`, or `10x`: ten per slot.
std::uint64_t count_or_per_slot(const Values& values, std::string_view name, const Load& load) {
  std::string text = values.text(name);
  std::uint64_t factor = 1;
  if (text.ends_with('x')) {
    if (load.open_loop()) values.refuse(name, "counts per slot, and --rate has none");
    text.pop_back();
    factor = load.concurrency;
  }
  const std::uint64_t count = parse_count(values.origin(name), text);
  if (count > kMaxRequests / factor)
    values.refuse(name, fmt::format("is above {}", format_count(kMaxRequests)));
  return count * factor;
}

void read_gamma(const Values& values, std::string_view text, Load& load) {
  constexpr std::string_view kGamma = "gamma:";
  load.arrival = Arrival::gamma;
  load.cv = parse_number(values.origin("arrival"), text.substr(kGamma.size()));
  if (!std::isfinite(load.cv) || load.cv <= 0) values.refuse("arrival", "has no CV above 0");
}

void read_arrival(const Values& values, Load& load) {
  const std::string text = values.text("arrival");
  if (text == name(Arrival::constant))
    load.arrival = Arrival::constant;
  else if (text == name(Arrival::poisson))
    load.arrival = Arrival::poisson;
  else if (text.starts_with("gamma:"))
    read_gamma(values, text, load);
  else
    values.refuse("arrival", "is none of constant, poisson, gamma:CV");
  if (!values.given("burstiness")) return;
  load.arrival = Arrival::gamma;
  load.cv = 1 / std::sqrt(values.positive_number("burstiness"));
}

void read_open_loop(const Values& values, Load& load) {
  load.rate = values.positive_number("rate");
  if (*load.rate > kMaxRate) values.refuse("rate", "is above 1,000,000 requests per second");
  read_arrival(values, load);
  if (values.given("max-in-flight")) load.max_in_flight = small_count(values, "max-in-flight", kMaxSlots);
  constexpr std::array<std::string_view, 2> kOnCap{"wait", "drop"};
  load.drop_at_cap = values.choice("on-cap", kOnCap) == 1;
}

void read_end(const Values& values, Load& load) {
  if (values.given("requests")) {
    load.requests = count_or_per_slot(values, "requests", load);
    if (*load.requests == 0) values.refuse("requests", "is not at least 1");
  }
  if (values.given("duration")) load.duration = values.positive_duration("duration");
  if (!load.requests && !load.duration) load.duration = kDefaultDuration;
}

void read_warmup(const Values& values, Load& load) {
  if (!values.given("warmup")) {
    if (load.open_loop())
      load.warmup_duration = kDefaultOpenWarmup;
    else if (load.requests != 1u)  // one request is a look, not a load: it is what is looked at
      load.warmup_requests = load.concurrency;
    else
      load.warmup_requests = 0;
  } else if (looks_like_duration(values.text("warmup"))) {
    load.warmup_duration = values.duration("warmup");
  } else {
    load.warmup_requests = count_or_per_slot(values, "warmup", load);
  }
}

Load load_of(const Values& values) {
  Load load;
  if (values.given("rate"))
    read_open_loop(values, load);
  else
    load.concurrency = small_count(values, "concurrency", kMaxSlots);
  read_end(values, load);
  read_warmup(values, load);
  load.seed = values.count("seed", 0, kMaxSeed);
  if (values.text("workers") != "auto") load.workers = small_count(values, "workers", kMaxWorkers);
  return load;
}

Timeouts timeouts_of(const Values& values) {
  Timeouts timeouts;
  timeouts.connect = values.positive_duration("timeout-connect");
  timeouts.first_token = values.positive_duration("timeout-first-token");
  timeouts.gap = values.positive_duration("timeout-gap");
  timeouts.idle = values.positive_duration("timeout-idle");
  timeouts.whole = values.positive_duration("timeout");
  if (values.given("timeout-drain")) timeouts.drain = values.positive_duration("timeout-drain");
  return timeouts;
}

Prompts prompts_of(const Values& values, std::uint64_t entropy) {
  Prompts prompts;
  prompts.system_prompt = values.text("system-prompt");
  prompts.input_tokens.a = small_count(values, "input-tokens", kMaxTokens);
  if (values.given("prompt")) {
    prompts.prompts = {values.text("prompt")};
    prompts.source = "prompt";
    if (prompts.prompts[0].empty()) throw UsageError(values.origin("prompt") + ": the prompt is empty");
  } else if (values.given("prompt-file")) {
    prompts.source = values.text("prompt-file");
    prompts.prompts = parse_prompt_lines(prompts.source, read_text_file(values, "prompt-file"));
  } else {
    prompts.nonce = values.given("nonce") ? values.text("nonce") : make_nonce(entropy);
  }
  return prompts;
}

Answers answers_of(const Values& values) {
  Answers answers;
  answers.output_tokens.a = small_count(values, "output-tokens", kMaxTokens);
  // Off is an answer too: only where nothing was said does preflight decide.
  if (values.mentioned("exact-output")) answers.exact_output = values.flag("exact-output");
  answers.stream = !values.flag("no-stream");
  answers.extra_body = values.text("extra-body");
  return answers;
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

}  // namespace

Format format_of(const Values& values) {
  constexpr std::array<std::string_view, 3> kNames{"table", "json", "csv"};
  return static_cast<Format>(values.choice("format", kNames));
}

Plan plan_of(const Values& values, const Variables& variables, std::uint64_t entropy) {
  Plan plan;
  plan.targets.front() = target_of(values, variables);
  plan.timeouts = timeouts_of(values);
  plan.sweep.points.front() = load_of(values);
  plan.classes.front().prompts = prompts_of(values, entropy);
  plan.classes.front().answers = answers_of(values);
  plan.output = output_of(values);
  plan.wait_ready = values.duration("wait-ready");
  // One request asked for is one request sent, unless --preflight asks for the look all the same.
  plan.preflight = values.mentioned("no-preflight") ? !values.flag("no-preflight")
                                                    : plan.sweep.points.front().requests != 1u;
  plan.strict = values.flag("strict");
  constexpr std::array<std::string_view, 2> kStamps{"kernel", "user"};
  plan.kernel_timestamps = values.choice("timestamps", kStamps) == 0;
  if (values.text("max-error-rate") != "off")
    plan.max_error_rate = parse_share(values.origin("max-error-rate"), values.text("max-error-rate"));
  return plan;
}

}  // namespace infermeter
