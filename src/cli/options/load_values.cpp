#include "cli/options/plan_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "workload/schedule/stages.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxRequests = 1'000'000'000;
constexpr std::uint64_t kMaxWorkers = 1024;
constexpr std::uint64_t kMaxTokens = 10'000'000;
constexpr std::size_t kMaxPoints = 1000;
constexpr double kMaxRate = 1e6;
constexpr nanoseconds kDefaultDuration = 30s;
constexpr nanoseconds kDefaultOpenWarmup = 5s;

/// `320`, or `10x`: ten requests per slot.
std::uint64_t count_or_per_slot(const Values& values, std::string_view name, const Load& load) {
  std::string text = values.text(name);
  std::uint64_t factor = 1;
  if (text.ends_with('x') && text.size() > 1) {
    if (load.open_loop()) values.refuse(name, "counts per slot, and an open loop has none");
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

double replay_speed_of(const Values& values) {
  std::string text = values.text("replay-speed");
  if (text.ends_with('x')) text.pop_back();
  const double speed = parse_number(values.origin("replay-speed"), text);
  if (!std::isfinite(speed) || speed <= 0) values.refuse("replay-speed", "is not above 0");
  return speed;
}

void read_arrival(const Values& values, Load& load) {
  const std::string text = values.text("arrival");
  if (text.starts_with("gamma:")) return read_gamma(values, text, load);
  constexpr std::array<Arrival, 3> kPlain{Arrival::constant, Arrival::poisson, Arrival::trace};
  const auto it = std::ranges::find(kPlain, std::string_view(text), [](Arrival a) { return name(a); });
  if (it == kPlain.end()) values.refuse("arrival", "is not one of constant, poisson, gamma:CV, trace");
  load.arrival = *it;
}

void read_open_loop(const Values& values, Load& load) {
  read_arrival(values, load);
  if (values.given("burstiness")) {
    load.arrival = Arrival::gamma;
    load.cv = 1 / std::sqrt(values.positive_number("burstiness"));
  }
  if (values.given("replay-speed") && load.arrival != Arrival::trace)
    values.refuse("replay-speed", "is for --arrival trace");
  load.replay_speed = replay_speed_of(values);
  if (values.given("max-in-flight"))
    load.max_in_flight = static_cast<std::uint32_t>(values.count("max-in-flight", 1, kMaxSlots));
  constexpr std::array<std::string_view, 2> kOnCap{"wait", "drop"};
  load.drop_at_cap = values.choice("on-cap", kOnCap) == 1;
}

/// Stages are in requests per second if any option of an open loop is given.
bool is_open(const Values& values) {
  return values.given("rate") || values.given("arrival") || values.given("burstiness");
}

Load common_load(const Values& values) {
  Load load;
  if (is_open(values)) read_open_loop(values, load);
  load.seed = values.count("seed", 0, kMaxSeed);
  if (values.text("workers") != "auto")
    load.workers = static_cast<std::uint32_t>(values.count("workers", 1, kMaxWorkers));
  return load;
}

/// `1-64`, `1..64`, `1:64`: two numbers that were meant as a range.
std::optional<std::pair<double, double>> range_of(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789.k";
  const std::size_t end = text.find_first_not_of(kDigits);
  const std::size_t dots = text.find("..");
  const std::size_t first = std::min(end, dots), next = dots < end ? dots + 2 : end + 1;
  if (first == 0 || first == std::string::npos || next >= text.size()) return std::nullopt;
  if (dots >= end && std::string_view("-:/~").find(text[end]) == std::string_view::npos) return std::nullopt;
  try {
    return std::pair{parse_number("", text.substr(0, first)), parse_number("", text.substr(next))};
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// The values of a sweep over a range that somebody wrote: doubled from one to the next.
void refuse_range(const Values& values, std::string_view option, std::string_view letter,
                  const std::string& text) {
  const auto range = range_of(text);
  if (!range || range->first <= 0 || range->second <= range->first || range->second / range->first > 1e4)
    return;
  std::string list;
  for (double value = range->first; value < range->second; value *= 2) list += fmt::format("{:.10g},", value);
  throw UsageError(fmt::format("{}: '{}' is a range", values.origin(option), text),
                   fmt::format("A sweep lists its values: {} {}{:.10g}", letter, list, range->second));
}

std::uint32_t parse_slots(const Values& values, const std::string& text) {
  const std::string origin = values.origin("concurrency");
  refuse_range(values, "concurrency", "-c", text);
  const std::uint64_t slots = parse_count(origin, text);
  if (slots < 1 || slots > kMaxSlots)
    throw UsageError(fmt::format("{}: '{}' is not in 1 … {}", origin, text, format_count(kMaxSlots)));
  return static_cast<std::uint32_t>(slots);
}

/// With stages, --rate only says that they are in requests per second; its value is ignored.
void check_rate_of_stages(const Values& values) {
  if (!values.given("rate")) return;
  const auto parts = values.parts("rate");
  if (parts.size() != 1) values.refuse("rate", "is a sweep, and stages are one load");
  parse_rate(values.origin("rate"), parts[0]);
}

Load staged(const Values& values, Load load) {
  load.stages = parse_stages(values.origin("stages"), values.text("stages"));
  if (load.arrival == Arrival::trace) values.refuse("stages", "and --arrival trace exclude each other");
  const double top = highest_target(load.stages);
  load.duration = total_length(load.stages);
  load.warmup_requests = 0;
  if (is_open(values)) {
    load.rate = top;
    if (top > kMaxRate) values.refuse("stages", "is above 1,000,000 requests per second");
    check_rate_of_stages(values);
  } else {
    if (values.given("requests"))
      throw UsageError(
          fmt::format("{} and {} exclude each other", values.origin("stages"), values.origin("requests")),
          "Stages of requests in flight end by themselves.");
    if (top < 1 || top > static_cast<double>(kMaxSlots))
      values.refuse("stages", fmt::format("has no highest target in 1 … {}", format_count(kMaxSlots)));
    load.concurrency = static_cast<std::uint32_t>(top);
  }
  return load;
}

std::vector<Load> levels_of(const Values& values) {
  const Load common = common_load(values);
  if (values.given("stages")) return {staged(values, common)};
  if (common.arrival == Arrival::trace) {
    if (values.given("rate")) values.refuse("rate", "cannot be combined with --arrival trace");
    return {common};
  }
  std::vector<Load> levels;
  const bool open = values.given("rate");
  for (const auto& text : values.parts(open ? "rate" : "concurrency")) {
    Load load = common;
    if (open) refuse_range(values, "rate", "--rate", text);
    if (open)
      load.rate = parse_rate(values.origin("rate"), text);
    else
      load.concurrency = parse_slots(values, text);
    levels.push_back(std::move(load));
  }
  return levels;
}

void read_end(const Values& values, Load& load) {
  if (values.given("requests")) {
    load.requests = count_or_per_slot(values, "requests", load);
    if (*load.requests == 0) values.refuse("requests", "is not at least 1");
  }
  if (values.given("duration")) load.duration = values.positive_duration("duration");
  // A trace without either ends with its last time stamp.
  if (!load.requests && !load.duration && load.arrival != Arrival::trace) load.duration = kDefaultDuration;
}

void read_warmup(const Values& values, Load& load) {
  if (load.warmup_requests) return;
  if (!values.given("warmup")) {
    if (load.arrival == Arrival::trace)
      load.warmup_requests = 0;
    else if (load.open_loop())
      load.warmup_duration = kDefaultOpenWarmup;
    else if (load.requests != 1u)  // a single request is itself the subject of interest, not a warm-up
      load.warmup_requests = load.concurrency;
    else
      load.warmup_requests = 0;
  } else if (looks_like_duration(values.text("warmup"))) {
    load.warmup_duration = values.duration("warmup");
  } else {
    load.warmup_requests = count_or_per_slot(values, "warmup", load);
  }
}

std::uint32_t shape_tokens(const Values& values, std::string_view text) {
  const std::uint64_t tokens = parse_count(values.origin("shape"), text);
  if (tokens < 1 || tokens > kMaxTokens)
    throw UsageError(
        fmt::format("{}: '{}' is not in 1 … {}", values.origin("shape"), text, format_count(kMaxTokens)));
  return static_cast<std::uint32_t>(tokens);
}

/// `8k/128`, or `8k` with the answer lengths of --output-tokens.
void read_shape(const Values& values, const std::string& text, Load& load) {
  const std::size_t mark = text.find_first_of(":x-");
  if (mark != std::string::npos && mark > 0 && mark + 1 < text.size())
    throw UsageError(fmt::format("{}: '{}' is not of the form IN/OUT; did you mean {}/{}?",
                                 values.origin("shape"), text, text.substr(0, mark), text.substr(mark + 1)));
  const std::size_t slash = text.find('/');
  const Lengths input{.a = static_cast<double>(shape_tokens(values, text.substr(0, slash)))};
  Lengths output;
  if (slash == std::string::npos)
    output = lengths_of(values, "output-tokens");
  else
    output.a = shape_tokens(values, std::string_view(text).substr(slash + 1));
  load.shape = {input, output};
  load.shape_text = text;
}

std::vector<Load> points_of(const Values& values) {
  std::vector<Load> points;
  const auto levels = levels_of(values);
  const auto shapes = values.given("shape") ? values.parts("shape") : std::vector<std::string>{{}};
  if (levels.size() * shapes.size() > kMaxPoints)
    throw UsageError(fmt::format("a sweep of {} points is more than {}",
                                 format_count(levels.size() * shapes.size()), format_count(kMaxPoints)));
  for (const auto& shape : shapes) {
    for (Load point : levels) {
      if (values.given("shape")) read_shape(values, shape, point);
      read_end(values, point);
      read_warmup(values, point);
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace

double parse_rate(const std::string& origin, const std::string& text) {
  const double rate = parse_number(origin, text);
  if (!std::isfinite(rate) || rate <= 0)
    throw UsageError(fmt::format("{}: '{}' is not above 0", origin, text));
  if (rate > kMaxRate)
    throw UsageError(fmt::format("{}: '{}' is above 1,000,000 requests per second", origin, text));
  return rate;
}

std::vector<Load> repeated(const std::vector<Load>& loads, std::uint32_t runs) {
  std::vector<Load> points;
  points.reserve(loads.size() * runs);
  for (std::uint32_t run = 1; run <= runs; ++run) {
    for (Load load : loads) {
      load.run = run;
      load.seed += run - 1;
      points.push_back(std::move(load));
    }
  }
  return points;
}

Sweep sweep_of(const Values& values) {
  Sweep sweep;
  const auto loads = points_of(values);
  sweep.runs = static_cast<std::uint32_t>(values.count("runs", 1, kMaxPoints / loads.size()));
  sweep.points = repeated(loads, sweep.runs);
  sweep.cooldown = values.duration("cooldown");
  for (const auto& text : values.parts("stop-when"))
    sweep.stop_when.push_back(parse_threshold(values.origin("stop-when"), text));
  sweep.before_point = values.text("before-point");
  sweep.after_point = values.text("after-point");
  sweep.resume = values.text("resume");
  return sweep;
}

}  // namespace infermeter
