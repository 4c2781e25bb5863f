#include "analysis/statistics/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"

using namespace infermeter;

namespace {

/// Values whose neighbours are alike: an autoregression with normal steps.
std::vector<double> correlated(std::size_t n, double rho, Random& random) {
  std::vector<double> out;
  double state = random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    state = rho * state + std::sqrt(1 - rho * rho) * random.normal();
    out.push_back(state);
  }
  return out;
}

/// The share of seeded trials in which the interval of the quantile q contains `truth`.
double coverage(std::size_t n, double rho, double q, double truth) {
  constexpr int trials = 400;
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(7, static_cast<std::uint64_t>(trial));
    const auto values = correlated(n, rho, random);
    auto sorted = values;
    std::ranges::sort(sorted);
    const auto bounds = order_statistic_bounds(sorted, q, effective_samples(values, quantile(sorted, q)));
    if (bounds.low.value_or(-1e9) <= truth && truth <= bounds.high.value_or(1e9)) ++held;
  }
  return held / double{trials};
}

void check_ranks(std::uint64_t n, double q, std::uint64_t low, std::uint64_t high) {
  INFO("n " << n << " q " << q);
  CHECK(binomial_ranks(n, q).low == low);
  CHECK(binomial_ranks(n, q).high == high);
}

/// n samples of weight 1, the value i in block i·10/n.
std::vector<WeightedSample> ramp(std::uint32_t n) {
  std::vector<WeightedSample> out;
  for (std::uint32_t i = 0; i < n; ++i) out.push_back({double(i), 1, i * 10 / n});
  return out;
}

}  // namespace

TEST_CASE("intervals: binomial ranks are the published ones") {
  check_ranks(100, 0.5, 40, 61);
  check_ranks(100, 0.9, 84, 96);
  check_ranks(100, 0.95, 90, 100);
  check_ranks(300, 0.95, 277, 293);
  check_ranks(500, 0.99, 490, 500);
  check_ranks(1000, 0.95, 936, 964);
  check_ranks(1000, 0.99, 983, 997);
  check_ranks(10000, 0.99, 9880, 9920);
}

TEST_CASE("intervals: p99 of 100 or 300 samples has a lower rank and no upper one") {
  CHECK(binomial_ranks(100, 0.99).low == 97u);
  CHECK_FALSE(binomial_ranks(100, 0.99).high);
  CHECK_FALSE(binomial_ranks(300, 0.99).high);
}

TEST_CASE("intervals: an upper rank exists from 36, 72, 368 and 3,688 samples on") {
  const std::pair<double, std::uint64_t> floors[] = {{0.9, 36}, {0.95, 72}, {0.99, 368}, {0.999, 3688}};
  for (const auto& [q, n] : floors) {
    CHECK_FALSE(binomial_ranks(n - 1, q).high);
    CHECK(binomial_ranks(n, q).high == n);
  }
}

TEST_CASE("intervals: low percentiles are the mirror image of high ones") {
  CHECK_FALSE(binomial_ranks(71, 0.05).low);
  CHECK(binomial_ranks(72, 0.05).low == 1u);
  CHECK(binomial_ranks(100, 0.05).high == 11u);  // 101 − 90
}

TEST_CASE("intervals: bounds come from the ranks of n_eff, scaled to n and rounded outwards") {
  std::vector<double> sorted(1000);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = double(i + 1);
  const auto bounds = order_statistic_bounds(sorted, 0.5, 100);  // ranks 40 and 61 of 100
  CHECK(bounds.low == 400);
  CHECK(bounds.high == 610);
}

TEST_CASE("intervals: under 30 effective samples there is no interval") {
  const std::vector<double> sorted(100, 1.0);
  CHECK_FALSE(order_statistic_bounds(sorted, 0.5, 29.9).low);
  CHECK_FALSE(order_statistic_bounds(sorted, 0.5, 29.9).high);
  CHECK(order_statistic_bounds(sorted, 0.5, 30).low == 1.0);
}

TEST_CASE("intervals: blocks that agree make n_eff n over 1.33") {
  std::vector<double> alternating;
  for (int i = 0; i < 1000; ++i) alternating.push_back(i % 2);
  CHECK(effective_samples(alternating, 0.5) == Approx(1000 / 1.332).epsilon(0.001));
}

TEST_CASE("intervals: samples that only rise are worth next to nothing") {
  std::vector<double> rising;
  for (int i = 0; i < 1000; ++i) rising.push_back(i);
  // Five blocks entirely below the median, five above: (10/9)·10·50² / 250 = 111 times the variance.
  CHECK(effective_samples(rising, 499.5) == Approx(1000 / (1.332 * 111.1)).epsilon(0.001));
}

TEST_CASE("intervals: equal samples have an effective size and no NaN") {
  CHECK(effective_samples(std::vector<double>(50, 3.0), 3.0) == Approx(50 / 1.332).epsilon(0.001));
  CHECK(effective_samples(std::vector<double>(3, 3.0), 3.0) == Approx(3 / 1.332).epsilon(0.001));
}

TEST_CASE("intervals: independent samples keep n_eff near n and correlated ones lose most of it") {
  Random random(3);
  const auto independent = correlated(2000, 0.0, random);
  const auto dependent = correlated(2000, 0.95, random);
  CHECK(effective_samples(independent, 0) > 600);
  CHECK(effective_samples(dependent, 0) < 200);
}

TEST_CASE("intervals: 95 % intervals hold the truth at least nine times in ten, correlated or not") {
  CHECK(coverage(200, 0.0, 0.5, 0) > 0.94);
  CHECK(coverage(500, 0.0, 0.95, 1.6449) > 0.94);
  CHECK(coverage(1000, 0.9, 0.5, 0) > 0.90);
}

TEST_CASE("intervals: blocks of time bound a quantile of events") {
  // 1,000 events in ten blocks; half of each block is 1 ms, but block 0 has 60 and block 1 40 of them.
  std::vector<WeightedSample> sorted;
  for (std::uint32_t b = 0; b < 10; ++b) {
    const std::uint32_t low = b == 0 ? 60 : b == 1 ? 40 : 50;
    for (std::uint32_t i = 0; i < 100; ++i) sorted.push_back({i < low ? 1.0 : 2.0, 1, b});
  }
  std::ranges::stable_sort(sorted, {}, &WeightedSample::value);
  // se = √((10/9)·(10² + 10²))/1000 = 0.0149, less than √(0.25/1000) = 0.0158 of independent events, which
  // counts: 0.5 ± 2.262·0.0158 = 0.464 and 0.536.
  const auto bounds = time_block_bounds(sorted, 1000, 0.5, 1.0);
  CHECK(bounds.low == 1.0);
  CHECK(bounds.high == 2.0);
}

TEST_CASE("intervals: events whose level drifts have wide bounds") {
  const auto sorted = ramp(1000);
  // Blocks are entirely below or above: se = √((10/9)·10·50²)/1000 = 0.167; 0.5 ± 0.377.
  const auto bounds = time_block_bounds(sorted, 1000, 0.5, quantile(sorted, 1000, 0.5));
  CHECK(bounds.low.value() == Approx(0.1230 * 999).margin(1));
  CHECK(bounds.high.value() == Approx(0.8770 * 999).margin(1));
}

TEST_CASE("intervals: a bound of events beyond the data is absent") {
  const auto sorted = ramp(1000);
  const auto p95 = time_block_bounds(sorted, 1000, 0.95, quantile(sorted, 1000, 0.95));
  CHECK(p95.low);
  CHECK_FALSE(p95.high);
}

TEST_CASE("intervals: p99 of 300 even events has no upper bound") {
  std::vector<WeightedSample> even;
  for (std::uint32_t i = 0; i < 300; ++i) even.push_back({1.0, 1, i % 10});
  CHECK(time_block_bounds(even, 300, 0.99, 1.0).low == 1.0);
  CHECK_FALSE(time_block_bounds(even, 300, 0.99, 1.0).high);
  CHECK(time_block_bounds(even, 300, 0.5, 1.0).high == 1.0);
}

TEST_CASE("intervals: few events or an empty block give no interval") {
  CHECK_FALSE(time_block_bounds(ramp(99), 99, 0.5, 49).low);
  auto gap = ramp(1000);
  for (auto& sample : gap) sample.block = std::min(sample.block, 8u);
  CHECK_FALSE(time_block_bounds(gap, 1000, 0.5, 499.5).low);
}

TEST_CASE("intervals: the mean of ten blocks has a half width of 2.262 standard errors") {
  CHECK(block_half_width({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) == Approx(2.262 * std::sqrt(82.5 / 9 / 10)));
  CHECK(block_half_width({5, 5, 5, 5, 5, 5, 5, 5, 5, 5}) == 0);
}

TEST_CASE("intervals: Wilson bounds a share, also where every trial hit") {
  CHECK(wilson(8, 10).low.value() == Approx(0.4902).epsilon(0.001));
  CHECK(wilson(8, 10).high.value() == Approx(0.9433).epsilon(0.001));
  CHECK(wilson(1, 1).low.value() == Approx(0.2065).epsilon(0.001));
  CHECK(wilson(1, 1).high.value() == 1);
  CHECK(wilson(0, 10).low.value() == 0);
}

TEST_CASE("intervals: no failure has a lower bound of 0 and not of what rounding leaves") {
  for (std::uint64_t n = 1; n < 1000; ++n) {
    CHECK(wilson(0, n).low.value() == 0);
    CHECK(wilson(n, n).high.value() == 1);
  }
}
