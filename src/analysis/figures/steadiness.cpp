#include "analysis/figures/steadiness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/figures/in_flight.hpp"
#include "analysis/statistics/least_squares.hpp"
#include "analysis/statistics/quantiles.hpp"

namespace infermeter {

namespace {

using Blocks = std::array<double, kBlocks>;

// Simulated with Poisson arrivals, answers of 2 s and windows of 10 to 120 s: a queue at 70 % of its capacity
// is called growing in 1 to 7 % of the runs, a load of 120 % of the capacity found in 91 to 99 %.
constexpr double kRiseOfBoth = 0.05;  // of the mean
constexpr double kRiseOfOne = 0.5;
constexpr double kBeyondDoubt = 3.36;  // Student's t, 8 degrees of freedom, one-sided 99.5 %

constexpr std::size_t kFewestFirst = 5;  // answers that tell how long the load builds up
constexpr double kShareOfFirst = 0.1;
constexpr std::int64_t kLeastBuildUp = 20;  // a shorter part of the window than one of so many is not cut off

struct Rise {
  double relative = 0;
  bool likely = false, certain = false;
};

Rise rise_of(const Blocks& blocks) {
  const double mean = std::accumulate(blocks.begin(), blocks.end(), 0.0) / kBlocks;
  if (mean <= 0) return {};
  const auto line = trend(blocks);
  const double slope = line.rise / (kBlocks - 1);
  double squares = 0, spread = 0;  // around the line; of the block numbers
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const double x = static_cast<double>(b) - (kBlocks - 1) / 2.0;
    squares += std::pow(blocks[b] - mean - slope * x, 2);
    spread += x * x;
  }
  const double error = std::sqrt(squares / (kBlocks - 2) / spread);
  return {line.rise / mean, line.significant, line.significant && slope > kBeyondDoubt * error};
}

Blocks in_flight_blocks(const Records& load, const Window& window) {
  Blocks out{};
  for (std::size_t b = 0; b < kBlocks; ++b)
    out[b] = mean_in_flight(load, window.part(static_cast<std::int64_t>(b), kBlocks));
  return out;
}

/// Groups of equal size instead of blocks of time: a short run has blocks without a request.
std::optional<Blocks> ttft_groups(const Records& measured, const Window& window) {
  std::vector<double> waits;
  for (const auto* record : measured) {
    if (record->outcome == Outcome::ok && record->first_token_us && window.contains(record->sent_us))
      waits.push_back(static_cast<double>(*record->first_token_us - *record->sent_us));
  }
  if (waits.size() < kBlocks) return std::nullopt;
  Blocks out{};
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const auto from = waits.size() * b / kBlocks, to = waits.size() * (b + 1) / kBlocks;
    for (std::size_t i = from; i < to; ++i) out[b] += waits[i] / static_cast<double>(to - from);
  }
  return out;
}

/// The time of the longer ones among the first answers, before a queue has grown.
double first_answers_us(const Records& load) {
  std::vector<double> times;
  const auto enough = std::max<std::size_t>(
      kFewestFirst, static_cast<std::size_t>(kShareOfFirst * static_cast<double>(load.size())));
  for (const auto* record : load) {
    if (times.size() == enough) break;
    if (record->outcome == Outcome::ok && record->started_us && record->end_us)
      times.push_back(static_cast<double>(*record->end_us - *record->started_us));
  }
  std::ranges::sort(times);
  return times.empty() ? 0 : quantile(times, 0.9);
}

/// Of an open loop: the part of the window after its load has built up.
Window built_up(const RunRecords& run, Window window, Steadiness& out) {
  const double fill_us = first_answers_us(run.load);
  out.build_up_s = fill_us / 1e6;
  const auto first = std::ranges::find_if(run.load, [](const auto* r) { return r->started_us.has_value(); });
  if (first == run.load.end()) return window;
  const std::int64_t full = *(*first)->started_us + std::llround(fill_us);
  const std::int64_t length = window.to_us - window.from_us, filling = full - window.from_us;
  out.too_short = filling > length / 2;
  window.from_us = std::clamp(full, window.from_us, window.to_us);
  if (filling > length / kLeastBuildUp) out.window = window;
  return window;
}

struct Growth {
  double in_flight = 0, ttft = 0;  // of the mean
  bool any = false;
};

Growth growth_over(const LoadPoint& load, const RunRecords& run, const Window& window) {
  const auto in_flight = rise_of(in_flight_blocks(run.load, window));
  const auto groups = ttft_groups(run.load_measured, window);
  const auto ttft = groups ? rise_of(*groups) : Rise{};
  const auto alone = [](const Rise& rise) { return rise.certain && rise.relative > kRiseOfOne; };
  const auto too = [](const Rise& rise) { return rise.likely && rise.relative > kRiseOfBoth; };
  // A trace has a load of its own, which may rise while the server keeps up.
  const bool load_is_constant = load.arrival != Arrival::trace;
  return {in_flight.relative, ttft.relative,
          (load_is_constant && alone(in_flight)) || alone(ttft) || (too(in_flight) && too(ttft))};
}

}  // namespace

Steadiness steadiness_of(const LoadPoint& load, const RunRecords& run, const Window& window) {
  Steadiness out;
  out.window = window;
  const Window judged = load.open_loop ? built_up(run, window, out) : window;
  if (out.too_short) return out;
  const auto over_all = growth_over(load, run, window);
  const auto after = growth_over(load, run, judged);
  const auto& shown = after.any ? after : over_all;
  out.in_flight = shown.in_flight;
  out.ttft = shown.ttft;
  out.grows = after.any;
  // Only while it filled up: the rest of the window is too short to tell what came of it.
  out.too_short = over_all.any && !after.any;
  return out;
}

}  // namespace infermeter
