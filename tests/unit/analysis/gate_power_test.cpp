#include <cmath>

#include "catch.hpp"
#include "infermeter/analysis/gate.hpp"
#include "simulated_pairs.hpp"

using namespace infermeter;
using bench::Effect;
using bench::figure_noise;
using bench::simulate_gate;

namespace {

struct Ends {
  int passed = 0, failed = 0;
};

/// For each of the four figures, half of the deviation is the machine's.
Ends simulate(int gates, double cv, const Effect& effect) {
  const bench::FigureNoise noise{.ttft_p50 = cv, .ttft_p95 = cv, .tpot = cv, .throughput = cv, .common = 0.5};
  Random random(11);
  Ends ends;
  for (int i = 0; i < gates; ++i) {
    const auto end = simulate_gate(default_gate_rule(false), figure_noise(noise, random), effect);
    ends.passed += end.decision == Decision::pass;
    ends.failed += end.decision == Decision::fail;
  }
  return ends;
}

}  // namespace

TEST_CASE("gate: of 300 gates of equal servers whose runs vary by 5 % at most 3 fail and 291 pass") {
  const auto ends = simulate(300, 0.05, {});
  CHECK(ends.failed <= 3);
  CHECK(ends.passed >= 291);
}

TEST_CASE("gate: of 300 gates whose candidate has 20 % more TTFT p50 at least 285 fail") {
  CHECK(simulate(300, 0.05, {.ttft_p50 = 0.2}).failed >= 285);
}

TEST_CASE("gate: of 300 gates whose candidate is 10 % slower in all at most 30 pass") {
  CHECK(simulate(300, 0.05, {.ttft_p50 = 0.1, .ttft_tail = 0.1, .rest = 0.1}).passed <= 30);
}

TEST_CASE("gate: the smallest change found grows with the noise and lies beyond the minimum effect") {
  const auto rule = default_gate_rule(false);
  const auto quiet = smallest_change_found(rule, 0.01), usual = smallest_change_found(rule, 0.05);
  REQUIRE(quiet);
  REQUIRE(usual);
  CHECK(*quiet > 0.05);
  CHECK(*quiet < 0.10);
  CHECK(*usual > 0.10);
  CHECK(*usual < 0.20);
}

TEST_CASE("gate: runs that vary by half find nothing with a minimum effect of 5 %") {
  CHECK_FALSE(smallest_change_found(default_gate_rule(false), 0.5));
}

TEST_CASE("gate: the noise of equal pairs is their spread, and a minimum effect that suits it") {
  Random random(3);
  const auto draw = figure_noise({}, random);
  std::vector<PointResult> runs;
  for (int i = 0; i < 400; ++i) runs.push_back(bench::point_with(draw({})));
  std::vector<GatePair> pairs;
  for (std::size_t i = 0; i < runs.size(); i += 2) pairs.push_back({&runs[i], &runs[i + 1]});
  const auto noise = noise_of_pairs(default_gate_rule(false), pairs);
  REQUIRE(noise.size() == 4);
  CHECK(noise.front().metric == "ttft");
  CHECK(noise.front().statistic == "p50");
  CHECK(noise.front().pairs == 200);
  CHECK(*noise.front().spread == Approx(0.05 * std::sqrt(2.0)).epsilon(0.15));
  CHECK(*noise.front().least > 0.02);
  CHECK(*noise.front().least < 0.08);
}

TEST_CASE("gate: of one pair no noise is told") {
  const auto run = bench::point_with({});
  const auto noise = noise_of_pairs(default_gate_rule(false), std::vector<GatePair>{{&run, &run}});
  CHECK(noise.front().pairs == 1);
  CHECK_FALSE(noise.front().spread);
  CHECK_FALSE(noise.front().least);
}
