#include "analysis/figures/in_flight.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace infermeter {

namespace {

/// In a long run the edges matter little, and neither does a ramp of a few seconds.
constexpr double kLeastTolerance = 0.01;

template <typename F>
void for_each_stay(const Records& records, F f) {
  for (const auto* record : records) {
    if (record->started_us && record->end_us) f(*record->started_us, *record->end_us);
  }
}

}  // namespace

std::int64_t overlap_us(const Records& records, const Window& window) {
  std::int64_t sum = 0;
  for_each_stay(records, [&](std::int64_t start, std::int64_t end) { sum += window.overlap_us(start, end); });
  return sum;
}

std::int64_t counter_integral_us(const Records& records, const Window& window) {
  std::vector<std::pair<std::int64_t, int>> steps;
  for_each_stay(records, [&](std::int64_t start, std::int64_t end) {
    steps.emplace_back(std::min(start, window.to_us), 1);
    steps.emplace_back(std::min(end, window.to_us), -1);
  });
  std::ranges::sort(steps);
  std::int64_t sum = 0, level = 0, since = window.from_us;
  for (const auto& [at, step] : steps) {
    if (at > since) {
      sum += level * (at - since);
      since = at;
    }
    level += step;
  }
  return sum + level * (window.to_us - since);
}

double mean_in_flight(const Records& records, const Window& window) {
  return static_cast<double>(overlap_us(records, window)) / 1e6 / window.seconds();
}

double mean_in_flight_while_busy(const Records& records) {
  std::optional<std::int64_t> until;
  double stayed = 0, busy = 0;
  for_each_stay(records, [&](std::int64_t start, std::int64_t end) {
    const auto from = std::max(start, until.value_or(start));
    stayed += static_cast<double>(end - start);
    busy += static_cast<double>(std::max<std::int64_t>(0, end - from));
    until = std::max(end, until.value_or(end));
  });
  return busy > 0 ? stayed / busy : 1;
}

double mean_in_flight_of(const LoadPoint& load, const Records& measured) {
  const bool one_loop =
      !load.open_loop && std::ranges::none_of(load.classes, [](const auto& one) { return one.own_loop; });
  return one_loop ? own_part(load).concurrency : mean_in_flight_while_busy(measured);
}

std::optional<LittlesLaw> littles_law(const LoadPoint& load, const Records& records, const Window& window) {
  double starts = 0, stayed_s = 0;
  for_each_stay(records, [&](std::int64_t start, std::int64_t end) {
    if (!window.contains(start)) return;
    starts += 1;
    stayed_s += static_cast<double>(end - start) / 1e6;
  });
  LittlesLaw law;
  law.in_flight = mean_in_flight(records, window);
  if (starts == 0 || law.in_flight <= 0) return std::nullopt;
  law.expected = stayed_s / window.seconds();
  law.difference = std::abs(law.in_flight - law.expected) / law.in_flight;
  const double edge = stayed_s / starts / window.seconds();
  law.tolerance = std::max(kLeastTolerance, 3 * edge / std::sqrt(law.in_flight));
  // The edges cut up to C answers of a closed loop, all of them alike where its slots run in step.
  if (!load.open_loop) law.tolerance = std::max(law.tolerance, edge + kLeastTolerance);
  return law;
}

}  // namespace infermeter
