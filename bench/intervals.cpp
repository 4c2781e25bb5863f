// intervals [RUNS]: how often an assertion holds although it should not, and how often it holds when it
// should, by RUNS (400) runs a cell of each workload: the tables of docs/statistics.md. Exits with 1 where a
// promise there is broken. Virtual time, a fixed seed: the same tables each time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "analysis/statistics/percentile_bounds.hpp"
#include "base/random.hpp"
#include "latency_series.hpp"

namespace infermeter::bench {
namespace {

constexpr std::array<double, 4> kFactors{1.1, 1.3, 2, 4};
constexpr double kPromised = 0.05, kPromisedCoverage = 0.90;

/// What a run's interval says of the workload's true percentile.
struct Tally {
  int runs = 0, both = 0, below = 0, above = 0;  // an upper bound below the truth, a lower one above it
  std::array<int, kFactors.size()> holds{}, by_ranks{};  // at a limit of so many times the truth

  double share(int count) const { return static_cast<double>(count) / runs; }
  double covers() const { return 1 - share(below + above); }
};

/// Whether the upper bound by ranks alone, with ten blocks whatever the load, is below the limit.
std::optional<double> upper_by_ranks(const std::vector<double>& in_order, double q) {
  auto sorted = in_order;
  std::ranges::sort(sorted);
  return order_statistic_bounds(sorted, q, effective_samples(in_order, quantile(sorted, q))).high;
}

/// Of many runs of n requests: a run that begins in lockstep is slower in its first rounds.
double true_percentile(const Workload& workload, std::size_t n, double q) {
  constexpr std::size_t samples = 200'000;
  std::vector<double> all;
  for (std::uint64_t i = 0; all.size() < samples; ++i) {
    const auto series = workload.draw(mix64(i), n);
    all.insert(all.end(), series.values.begin(), series.values.end());
  }
  std::ranges::sort(all);
  return quantile(all, q);
}

Tally tally(const Workload& workload, std::size_t n, double q, int runs) {
  const double truth = true_percentile(workload, n, q);
  Tally out{.runs = runs};
  for (int i = 0; i < runs; ++i) {
    const auto series = workload.draw(1000 * n + static_cast<std::uint64_t>(i), n);
    const auto bounds = PercentileSamples(series.values, {series.in_flight, {}}).bounds(q);
    const auto ranks = upper_by_ranks(series.values, q);
    out.both += bounds.low && bounds.high;
    out.below += bounds.high && *bounds.high < truth;
    out.above += bounds.low && *bounds.low > truth;
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      out.holds[f] += bounds.high && *bounds.high < kFactors[f] * truth;
      out.by_ranks[f] += ranks && *ranks < kFactors[f] * truth;
    }
  }
  return out;
}

std::string percents(const Tally& of, const std::array<int, kFactors.size()>& counts) {
  std::vector<std::string> out;
  for (const int count : counts) out.push_back(fmt::format("{:.0f}", 100 * of.share(count)));
  return fmt::format("{}", fmt::join(out, " / "));
}

/// Names the broken promise, if there is one. Two standard errors are chance.
class Promises {
 public:
  void at_most(double promised, const Tally& of, int count, std::string_view what, const Workload& workload) {
    const double chance = 2 * std::sqrt(promised * (1 - promised) / of.runs);
    if (of.share(count) <= promised + chance) return;
    broken_ = true;
    fmt::print(stderr, "broken: {}: {} in {:.1f} % of the runs\n", workload.name, what,
               100 * of.share(count));
  }
  bool broken() const { return broken_; }

 private:
  bool broken_ = false;
};

void print_p95(const std::vector<Workload>& workloads, int runs, Promises* promises) {
  fmt::print(
      "| p95 | holds at the true value: n = 100 | 200 | 400 | 1,000 | n = 400: holds at 1.1 / 1.3 / 2 / 4 "
      "times the true value, by ranks alone → by this rule | n = 200 contains it |\n"
      "|:--|--:|--:|--:|--:|:-:|--:|\n");
  for (const auto& workload : workloads) {
    std::string row = fmt::format("| {} |", workload.name), power;
    double covers = 0;
    for (const std::size_t n : {100U, 200U, 400U, 1000U}) {
      const auto of = tally(workload, n, 0.95, runs);
      row += of.both == 0 ? " – |" : fmt::format(" {:.1f} |", 100 * of.share(of.below));
      if (n == 400) power = fmt::format("{} → {}", percents(of, of.by_ranks), percents(of, of.holds));
      if (n == 200) covers = of.covers();
      if (promises) promises->at_most(kPromised, of, of.below, "p95 holds at the true value", workload);
      if (promises) promises->at_most(kPromised, of, of.above, "p95 is broken at the true value", workload);
    }
    fmt::print("{} {} | {:.1f} % |\n", row, power, 100 * covers);
    std::fflush(stdout);
  }
}

void print_other(double q, std::initializer_list<std::size_t> sizes, int runs, Promises& promises) {
  fmt::print(
      "\n| p{:.6g}, n | worst holds at the true value | mean holds at 1.3 / 2 / 4 times it | worst broken "
      "at it |\n|--:|--:|:-:|--:|\n",
      100 * q);
  const auto workloads = promised_workloads();
  for (const std::size_t n : sizes) {
    double worst_holds = 0, worst_broken = 0;
    std::array<double, kFactors.size()> power{};
    for (const auto& workload : workloads) {
      const auto of = tally(workload, n, q, runs);
      worst_holds = std::max(worst_holds, of.share(of.below));
      worst_broken = std::max(worst_broken, of.share(of.above));
      for (std::size_t f = 0; f < kFactors.size(); ++f)
        power[f] += 100 * of.share(of.holds[f]) / static_cast<double>(workloads.size());
      promises.at_most(kPromised, of, of.below, fmt::format("p{:.6g} of {} holds", 100 * q, n), workload);
    }
    fmt::print("| {} | {:.1f} | {:.0f} / {:.0f} / {:.0f} | {:.1f} |\n", n, 100 * worst_holds, power[1],
               power[2], power[3], 100 * worst_broken);
    std::fflush(stdout);
  }
}

int run(int runs) {
  Promises promises;
  fmt::print("{} runs a cell, in percent of them.\n\n", runs);
  print_p95(promised_workloads(), runs, &promises);
  fmt::print("\nWorse, by memories longer than a few rounds:\n\n");
  print_p95(long_memories(), runs, nullptr);
  print_other(0.99, {100, 400, 1000, 3000}, runs, promises);
  print_other(0.5, {20, 40, 100, 400}, runs, promises);
  return promises.broken() ? 1 : 0;
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) {
  int runs = 400;
  const bool given = argc == 2;
  if (argc > 2 ||
      (given && std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), runs).ec != std::errc{}) ||
      runs < 1) {
    fmt::print(stderr, "intervals [RUNS]\n");
    return 2;
  }
  return infermeter::bench::run(runs);
}
