#include "plain_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "simulated_pairs.hpp"

namespace infermeter::bench {
namespace {

using Figure = double RunFigures::*;

/// One gate: whether it reports a candidate as worse that is really worse by `effect`.
using PlainGate = std::function<bool(Random&, double effect, Figure)>;

Effect all_requests(double worse) { return {.ttft_p50 = worse}; }

/// The baseline was measured on another day: its session had its own effect.
PlainGate stored(double limit) {
  return [=](Random& random, double effect, Figure figure) {
    const double before = RequestNoise(random).run({}).*figure;
    return RequestNoise(random).run(all_requests(effect)).*figure > before * (1 + limit);
  };
}

PlainGate same_session(double limit) {
  return [=](Random& random, double effect, Figure figure) {
    RequestNoise noise(random);
    const double before = noise.run({}).*figure;
    return noise.run(all_requests(effect)).*figure > before * (1 + limit);
  };
}

/// Whether the second sample is larger with p < 0.05, one-sided, by the normal approximation.
bool mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, false);
  for (const double value : b) all.emplace_back(value, true);
  std::ranges::sort(all);
  double ranks = 0;
  for (std::size_t i = 0; i < all.size(); ++i) ranks += all[i].second ? static_cast<double>(i + 1) : 0;
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double u = ranks - m * (m + 1) / 2;
  return (u - n * m / 2) / std::sqrt(n * m * (n + m + 1) / 12) > 1.645;
}

/// A test over the requests of two runs, which treats each request as an independent measurement.
PlainGate over_requests() {
  return [](Random& random, double effect, Figure) {
    RequestNoise noise(random);
    noise.run({});
    const auto before = noise.ttfts();
    noise.run(all_requests(effect));
    return mann_whitney(before, noise.ttfts());
  };
}

/// Ten runs of one server, then ten of the other, by the medians of the runs.
PlainGate ten_and_ten() {
  return [](Random& random, double effect, Figure figure) {
    RequestNoise noise(random);
    std::vector<double> before, after;
    for (int i = 0; i < 10; ++i) before.push_back(noise.run({}).*figure);
    for (int i = 0; i < 10; ++i) after.push_back(noise.run(all_requests(effect)).*figure);
    return mann_whitney(before, after);
  };
}

/// infermeter's rule for that figure alone.
PlainGate pairs() {
  return [](Random& random, double effect, Figure figure) {
    GateRule rule;
    // A p99 of 300 requests takes the place of the p95, with the p95's limits.
    const bool tail = figure == &RunFigures::ttft_p99;
    rule.metrics = {tail ? GatedMetric{.metric = "ttft", .statistic = "p95", .least = 0.10, .most = 0.20}
                         : GatedMetric{.metric = "ttft", .statistic = "p50"}};
    RequestNoise noise(random);
    const auto draw = [&](const Effect& of) {
      auto figures = noise.run(of);
      if (tail) figures.ttft_p95 = figures.ttft_p99;
      return figures;
    };
    return simulate_gate(rule, draw, all_requests(effect)).decision == Decision::fail;
  };
}

std::string found(const PlainGate& gate, Figure figure, int gates) {
  std::string text;
  for (const double effect : {0.0, 0.1, 0.2}) {
    int called = 0;
    for (int i = 0; i < gates; ++i) {
      Random random(20'260'102, static_cast<std::uint64_t>(i));
      called += gate(random, effect, figure);
    }
    const double percent = 100.0 * called / gates;
    text +=
        fmt::format(" {} |", percent < 1 ? fmt::format("{:.2f}", percent) : fmt::format("{:.0f}", percent));
  }
  return text;
}

struct Row {
  const char* name;
  PlainGate gate;
  bool of_requests = false;  // a test over requests has no percentile
};

}  // namespace

void print_plain_gates(int gates) {
  const std::array rows{
      Row{"stored baseline, one run a side, over 5 %", stored(0.05)},
      Row{"stored baseline, one run a side, over 10 %", stored(0.10)},
      Row{"same session, one run a side, over 5 %", same_session(0.05)},
      Row{"same session, one run a side, over 10 %", same_session(0.10)},
      Row{"same session, a rank test over the requests, p < 0.05", over_requests(), true},
      Row{"ten runs of one, then ten of the other, a rank test of their figures, p < 0.05", ten_and_ten()},
      Row{"pairs in turn, the rule of `infermeter gate`", pairs()}};
  fmt::print(
      "\n{} gates a cell, in percent of them that call the candidate worse.\n\n"
      "| gate | p50: equal | +10 % | +20 % | p99: equal | +10 % | +20 % |\n|:--|--:|--:|--:|--:|--:|--:|\n",
      gates);
  for (const auto& row : rows) {
    const auto tail =
        row.of_requests ? std::string(" – | – | – |") : found(row.gate, &RunFigures::ttft_p99, gates);
    fmt::print("| {} |{}{}\n", row.name, found(row.gate, &RunFigures::ttft_p50, gates), tail);
  }
}

}  // namespace infermeter::bench
