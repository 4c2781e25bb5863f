#include "analysis/statistics/percentile_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/sample_blocks.hpp"
#include "base/random.hpp"
#include "catch.hpp"

using namespace infermeter;

namespace {

using Samples = std::vector<double>;

double uniform(std::uint64_t seed, std::uint64_t i) {
  return static_cast<double>(mix64((seed << 32) + i) >> 11) * 0x1.0p-53;
}

/// One in a hundred is above 100, the median is 14.1; roots and quotients are rounded alike everywhere.
double heavy(std::uint64_t seed, std::uint64_t i) { return 10 / std::sqrt(1 - uniform(seed, i)); }

Samples make(std::size_t n, double (*sample)(std::uint64_t, std::uint64_t, std::size_t), std::uint64_t seed) {
  Samples out;
  for (std::uint64_t i = 0; i < n; ++i) out.push_back(sample(seed, i, n));
  return out;
}

using Workload = double (*)(std::uint64_t seed, std::uint64_t i, std::size_t n);

double independent(std::uint64_t seed, std::uint64_t i, std::size_t) { return heavy(seed, i); }
/// Half of it is shared by 16 neighbours.
double rounds(std::uint64_t seed, std::uint64_t i, std::size_t) {
  return 0.5 * heavy(seed, 1'000'000 + i / 16) + 0.5 * heavy(seed, i);
}
double drift(std::uint64_t seed, std::uint64_t i, std::size_t n) {
  return heavy(seed, i) * (1 + static_cast<double>(i) / static_cast<double>(n));
}
double slow(std::uint64_t seed, std::uint64_t i, std::size_t) {
  return heavy(seed, i) * (uniform(seed + 100, i) < 0.055 ? 4 : 1);
}
double ties(std::uint64_t seed, std::uint64_t i, std::size_t n) { return std::floor(rounds(seed, i, n) / 5); }
double speeds(std::uint64_t seed, std::uint64_t i, std::size_t n) { return 1000 / rounds(seed, i, n); }
double not_positive(std::uint64_t seed, std::uint64_t i, std::size_t) { return heavy(seed, i) - 12; }

struct Reference {
  Workload workload;
  std::size_t n;
  std::uint64_t seed;
  double in_flight, q, value;
  std::optional<double> low, high;
};

void check_bound(const std::optional<double>& bound, const std::optional<double>& expected) {
  REQUIRE(bound.has_value() == expected.has_value());
  if (bound) CHECK(*bound == Approx(*expected).epsilon(1e-8));
}

Bounds bounds_of(const Samples& in_order, double q, double in_flight, bool low_tail = false) {
  return PercentileSamples(in_order, {in_flight, {}}).bounds(q, low_tail);
}

Samples mirrored(Samples samples) {
  for (auto& one : samples) one = 1000 / one;
  return samples;
}

}  // namespace

TEST_CASE("percentile bounds: they are those of the reference") {
  // Made by the reference in Python with scipy (docs/statistics.md), rounded to 9 decimals. Of the rows with
  // fewer samples than both bounds take, by its ranks and counts alone.
  static const Reference references[]{
      {independent, 400, 1, 16, 0.5, 13.463920802, 13.00058797, 14.321642667},
      {independent, 400, 1, 16, 0.9, 28.741487559, 26.086837592, 36.056224875},
      {independent, 400, 1, 16, 0.95, 38.766259564, 33.030581342, 51.572672403},
      {independent, 400, 1, 16, 0.99, 66.256681405, 51.964799282, 118.243237784},
      {independent, 1000, 2, 1, 0.5, 14.105015535, 13.521578922, 14.817151474},
      {independent, 1000, 2, 1, 0.95, 45.871463836, 40.477736176, 54.230226339},
      {independent, 1000, 2, 1, 0.99, 113.000871422, 86.377838678, 313.230234241},
      {independent, 1000, 2, 1, 0.75, 19.970243002, 18.870879478, 21.229225904},
      {independent, 100, 3, 8, 0.5, 14.047394556, 12.661343089, 16.005064827},
      {independent, 100, 3, 8, 0.9, 31.38825626, 19.469178349, 61.009783165},
      {independent, 100, 3, 8, 0.95, 51.456872374, 27.733485178, 173.424614055},
      {independent, 100, 3, 8, 0.99, 100.310109326, 58.499658412, {}},
      {rounds, 400, 4, 16, 0.5, 15.818816687, 14.514053712, 18.083060119},
      {rounds, 400, 4, 16, 0.9, 29.062837223, 24.539135874, 35.287439449},
      {rounds, 400, 4, 16, 0.95, 32.562670933, 30.284262087, 40.586804845},
      {rounds, 400, 4, 16, 0.99, 49.033441248, 37.955763624, 97.582380038},
      {rounds, 200, 5, 16, 0.5, 15.168664077, 13.251483545, 18.848072626},
      {rounds, 200, 5, 16, 0.9, 25.661412589, 24.734901217, 32.181526076},
      {rounds, 200, 5, 16, 0.95, 31.161135312, 26.321352778, 47.077342414},
      {rounds, 1000, 6, 64, 0.5, 15.859539096, 14.558778093, 17.644958819},
      {rounds, 1000, 6, 64, 0.95, 36.219710216, 32.08154251, 43.595448053},
      {rounds, 1000, 6, 64, 0.99, 52.199810771, 44.155847131, 93.577976554},
      {drift, 400, 7, 16, 0.5, 21.463988846, 19.17782358, 25.329904242},
      {drift, 400, 7, 16, 0.95, 56.905278408, 47.645648482, 120.811242176},
      {drift, 400, 7, 16, 0.99, 153.146835047, 85.487781996, 642.968303581},
      {drift, 200, 8, 2.5, 0.5, 20.349965867, 18.821232121, 24.558632405},
      {drift, 200, 8, 2.5, 0.95, 59.665620304, 43.957017488, 222.280829015},
      {slow, 400, 9, 16, 0.5, 14.250927201, 13.339545078, 15.017876517},
      {slow, 400, 9, 16, 0.95, 54.610995351, 42.605377335, 69.733451089},
      {slow, 400, 9, 16, 0.99, 102.804951432, 68.0872263, 229.556655306},
      {slow, 1000, 10, 4, 0.9, 43.254125416, 39.705388011, 50.063977474},
      {slow, 1000, 10, 4, 0.95, 59.531171291, 53.467995588, 71.433043284},
      {slow, 1000, 10, 4, 0.99, 121.59538652, 95.669882827, 208.786323457},
      {ties, 400, 11, 16, 0.5, 3, 2.462303135, 4},
      {ties, 400, 11, 16, 0.9, 5, 5, 6.129125111},
      {ties, 400, 11, 16, 0.95, 7, 6, 8},
      {ties, 400, 11, 16, 0.99, 10.02, 8, 19.004467241},
      {ties, 100, 12, 4, 0.5, 2, 2, 2},
      {ties, 100, 12, 4, 0.95, 6, 4, 11},
      {speeds, 400, 13, 16, 0.5, 67.008664043, 62.619030446, 72.708828927},
      {speeds, 400, 13, 16, 0.1, 41.453981685, 33.961021987, 48.782906276},
      {speeds, 400, 13, 16, 0.05, 33.858130626, 25.289615622, 39.326748358},
      {speeds, 400, 13, 16, 0.01, 18.010344116, 5.204179253, 25.569967267},
      {speeds, 120, 14, 32, 0.5, 75.531504629, 34.777099389, 140.789114499},
      {speeds, 120, 14, 32, 0.1, 17.939208682, 4.201850092, 193.874210729},
      {speeds, 120, 14, 32, 0.05, 16.921652156, 3.486512902, 233.651901786},
      {speeds, 120, 14, 32, 0.01, 14.241688657, {}, 16.922583342},
      {not_positive, 400, 15, 16, 0.5, 2.12900218, 1.336107664, 2.689858037},
      {not_positive, 400, 15, 16, 0.95, 36.572002866, 25.508424281, 86.014414742},
      {independent, 40, 16, 1, 0.5, 13.802903977, 12.184878476, {}},
      {independent, 40, 16, 1, 0.9, 41.133256187, 23.227855448, {}},
      {independent, 40, 16, 1, 0.95, 43.055331342, 38.685725608, {}},
      {independent, 40, 16, 1, 0.99, 191.364687097, 42.37784281, {}},
      {rounds, 100, 17, 64, 0.5, 13.842965691, 12.918974253, {}},
      {rounds, 100, 17, 64, 0.95, 26.004912232, 21.109802193, {}},
      {rounds, 200, 18, 16, 0.99, 49.374968212, 38.686455499, {}},
      {rounds, 200, 18, 16, 0.999, 65.101458212, 49.371871136, {}},
      {independent, 6, 19, 1, 0.5, 17.086493623, 11.357570804, {}},
      {independent, 6, 19, 1, 0.95, 40.394938114, 17.412866789, {}},
      {independent, 5, 20, 1, 0.5, 12.229327503, {}, {}},
      {speeds, 40, 21, 16, 0.1, 46.006491153, {}, 54.205237563},
      {speeds, 40, 21, 16, 0.05, 33.498277773, {}, 48.438965851},
      {independent, 4000, 22, 10, 0.999, 276.082567861, 212.367218566, 646.637835731},
  };
  for (const auto& reference : references) {
    INFO("seed " << reference.seed << " q " << reference.q);
    const auto in_order = make(reference.n, reference.workload, reference.seed);
    const PercentileSamples samples(in_order, {reference.in_flight, {}});
    CHECK(samples.quantile(reference.q) == Approx(reference.value).epsilon(1e-8));
    const auto bounds = samples.bounds(reference.q);
    check_bound(bounds.low, reference.low);
    check_bound(bounds.high, reference.high);
  }
}

TEST_CASE("percentile bounds: both take 50 samples, from p95 on 72, 368 and 3,688, and three rounds") {
  CHECK(fewest_for_both_bounds(0.5, 1) == 50);
  CHECK(fewest_for_both_bounds(0.9, 16) == 50);
  CHECK(fewest_for_both_bounds(0.95, 16) == 72);
  CHECK(fewest_for_both_bounds(0.05, 16) == 72);
  CHECK(fewest_for_both_bounds(0.99, 16) == 368);
  CHECK(fewest_for_both_bounds(0.999, 16) == 3'688);
  CHECK(fewest_for_both_bounds(0.97, 16) == 122);
  CHECK(fewest_for_both_bounds(0.5, 64) == 192);
  CHECK(fewest_for_both_bounds(0.5, 16.7) == 51);
}

TEST_CASE("percentile bounds: 400 samples at 16 in flight have both bounds of a p95") {
  const auto bounds = bounds_of(make(400, rounds, 4), 0.95, 16);
  CHECK(bounds.low);
  CHECK(bounds.high);
}

TEST_CASE("percentile bounds: fewer samples keep the bound on the good side") {
  const auto samples = make(71, independent, 1);
  CHECK(bounds_of(samples, 0.95, 1).low);
  CHECK_FALSE(bounds_of(samples, 0.95, 1).high);
  CHECK_FALSE(bounds_of(samples, 0.05, 1).low);
  CHECK(bounds_of(samples, 0.05, 1).high);
  CHECK(bounds_of(samples, 0.5, 64).low);
  CHECK_FALSE(bounds_of(samples, 0.5, 64).high);
  CHECK_FALSE(bounds_of(samples, 0.5, 64, true).low);
  CHECK(bounds_of(samples, 0.5, 64, true).high);
}

TEST_CASE("percentile bounds: six samples have one bound and five have none") {
  const Samples six{5, 3, 9, 4, 8, 7};
  CHECK(bounds_of(six, 0.5, 1).low == 3);
  CHECK_FALSE(bounds_of(six, 0.5, 1).high);
  const std::span five(six.data(), 5);
  CHECK_FALSE(PercentileSamples(five, {}).bounds(0.5).low);
  CHECK_FALSE(PercentileSamples(five, {}).bounds(0.5).high);
  CHECK_FALSE(PercentileSamples(five, {}).bounds(0.95).low);
}

TEST_CASE("percentile bounds: equal samples have an interval of no width") {
  const auto bounds = bounds_of(Samples(200, 50.1), 0.95, 16);
  CHECK(bounds.low == 50.1);
  CHECK(bounds.high == 50.1);
}

TEST_CASE("percentile bounds: a low percentile of speeds mirrors the high one of times") {
  for (const std::size_t n : {40U, 100U, 400U}) {
    const auto times = make(n, rounds, 23);
    const auto slow_end = bounds_of(mirrored(times), 0.05, 8, true), tail = bounds_of(times, 0.95, 8);
    INFO(n);
    REQUIRE(slow_end.low.has_value() == tail.high.has_value());
    if (tail.high) CHECK(*slow_end.low == Approx(1000 / *tail.high).epsilon(0.02));
    CHECK(*slow_end.high == Approx(1000 / *tail.low).epsilon(0.02));
  }
}

TEST_CASE("percentile bounds: samples that are not positive have the bounds of ranks alone") {
  auto samples = make(400, independent, 15);
  samples[7] = 0;
  const auto bounds = bounds_of(samples, 0.5, 16);
  auto sorted = samples;
  std::ranges::sort(sorted);
  const auto ranked = order_statistic_bounds(sorted, 0.5, PercentileSamples(samples, {16, {}}).n_eff(0.5));
  CHECK(bounds.low == ranked.low);
  CHECK(bounds.high == ranked.high);
}

TEST_CASE("percentile bounds: a level of the counts is as deep as its own design effect allows") {
  // The largest 40 of 400: spread evenly, or all in one tenth of the run.
  Samples even(400, 1), clumped(400, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    even[10 * i] = clumped[120 + i] = 100 + static_cast<double>(i * 7 % 40);
  }
  CHECK(*bounds_of(even, 0.95, 1).high < 135);
  CHECK(*bounds_of(clumped, 0.95, 1).high > 138);
}

TEST_CASE("sample blocks: one run has equal blocks") {
  CHECK(block_edges(400, 10) == std::vector<std::size_t>{0, 40, 80, 120, 160, 200, 240, 280, 320, 360, 400});
  CHECK(block_edges(7, 3) == std::vector<std::size_t>{0, 2, 4, 7});
  CHECK(block_edges(2, 4) == std::vector<std::size_t>{0, 0, 1, 1, 2});
}

TEST_CASE("sample blocks: no block spans two runs") {
  CHECK(block_edges(100, 4, std::vector<std::size_t>{50}) == std::vector<std::size_t>{0, 25, 50, 75, 100});
  CHECK(block_edges(100, 4, std::vector<std::size_t>{10}) == std::vector<std::size_t>{0, 10, 40, 70, 100});
  CHECK(block_edges(90, 3, std::vector<std::size_t>{20, 80}) == std::vector<std::size_t>{0, 20, 80, 90});
}

TEST_CASE("sample blocks: more runs than blocks lie whole in them") {
  CHECK(block_edges(60, 3, std::vector<std::size_t>{10, 20, 30, 40, 50}) ==
        std::vector<std::size_t>{0, 20, 40, 60});
  CHECK(block_edges(60, 3, std::vector<std::size_t>{5, 26, 30, 50, 55}) ==
        std::vector<std::size_t>{0, 26, 50, 60});
}

TEST_CASE("sample blocks: a cut at an edge or twice is none") {
  CHECK(block_edges(40, 2, std::vector<std::size_t>{0, 0, 40}) == std::vector<std::size_t>{0, 20, 40});
}

TEST_CASE("sample blocks: the design effect is that of the formula") {
  const std::vector<std::size_t> edges{0, 10, 30};
  BlockCounts counts(edges);
  CHECK(counts.inflation() == 1);
  for (int i = 0; i < 8; ++i) counts.add(0);
  counts.add(1);
  // 2/1 · ((8 − 0.3·10)² + (1 − 0.3·20)²) / (30 · 0.3 · 0.7)
  CHECK(counts.inflation() == Approx(2 * 50 / 6.3));
}
