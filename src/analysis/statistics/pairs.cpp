#include "analysis/statistics/pairs.hpp"

#include <algorithm>

#include "analysis/statistics/quantiles.hpp"

namespace infermeter {

namespace {

/// The probability of each signed-rank sum 0 … n(n+1)/2: each rank is in it or not, with equal chances.
std::vector<double> signed_rank_distribution(std::uint64_t n) {
  std::vector<double> chances{1.0};
  for (std::uint64_t rank = 1; rank <= n; ++rank) {
    std::vector<double> next(chances.size() + rank);
    for (std::size_t w = 0; w < chances.size(); ++w) {
      next[w] += chances[w] / 2;
      next[w + rank] += chances[w] / 2;
    }
    chances = std::move(next);
  }
  return chances;
}

}  // namespace

std::vector<double> walsh_averages(std::span<const double> differences) {
  std::vector<double> out;
  out.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) out.push_back((differences[i] + differences[j]) / 2);
  }
  std::ranges::sort(out);
  return out;
}

double kth_smallest(std::span<const double> sorted, std::uint64_t k) { return sorted[k - 1]; }
double kth_largest(std::span<const double> sorted, std::uint64_t k) { return sorted[sorted.size() - k]; }

double signed_rank_probability(std::uint64_t n, std::uint64_t w) {
  const auto chances = signed_rank_distribution(n);
  double sum = 0;
  for (std::size_t i = 0; i < chances.size() && i <= w; ++i) sum += chances[i];
  return sum;
}

std::optional<std::uint64_t> signed_rank_bound(std::uint64_t n, double tail) {
  // The middle is below the k-th smallest average when fewer than k averages are at or below the middle: W ≤
  // k − 1.
  std::uint64_t k = 0;
  double sum = 0;
  for (const double chance : signed_rank_distribution(n)) {
    sum += chance;
    if (sum > tail) break;
    ++k;
  }
  return k > 0 ? std::optional(k) : std::nullopt;
}

PairedChange paired_change(std::span<const double> differences, double tail) {
  const auto averages = walsh_averages(differences);
  PairedChange change{.estimate = quantile(averages, 0.5)};
  if (const auto k = signed_rank_bound(differences.size(), tail)) {
    change.low = kth_smallest(averages, *k);
    change.high = kth_largest(averages, *k);
  }
  return change;
}

}  // namespace infermeter
