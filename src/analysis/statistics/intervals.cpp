#include "analysis/statistics/intervals.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kTail = 0.025;
constexpr double kBlockFactor = kBlocks / (kBlocks - 1.0);  // sample variance of the blocks
constexpr double kStudentOverNormal = (kStudent9 / kNormal) * (kStudent9 / kNormal);  // 1.33

/// P(at least k of n samples lie at or below the quantile q) for 1 ≤ k ≤ n, as an incomplete beta function.
double at_least(std::uint64_t k, std::uint64_t n, double q) {
  return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), q);
}

/// The first rank in 1 … n+1 whose probability of being reached is at most `limit`; the probability falls
/// with the rank.
std::uint64_t first_rank(std::uint64_t n, double q, double limit) {
  std::uint64_t from = 1, to = n + 1;
  while (from < to) {
    const auto middle = from + (to - from) / 2;
    if (at_least(middle, n, q) <= limit)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

double scaled(std::uint64_t rank, double n, double n_eff) { return static_cast<double>(rank) * n / n_eff; }

/// With fewer independent samples there is no bound on that side, and dependent samples are worth fewer.
bool reaches(std::size_t n, double q) { return std::pow(q, static_cast<double>(n)) <= kTail; }

/// The standard error, over blocks of time, of the share of the weight at or below the quantile.
std::optional<double> block_error(std::span<const WeightedSample> sorted, double total, double value) {
  std::array<double, kBlocks> all{}, below{};
  for (const auto& sample : sorted) {
    all[sample.block] += sample.weight;
    if (sample.value <= value) below[sample.block] += sample.weight;
  }
  if (std::ranges::find(all, 0.0) != all.end()) return std::nullopt;
  const double share = std::accumulate(below.begin(), below.end(), 0.0) / total;
  double squares = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) squares += std::pow(below[b] - share * all[b], 2);
  return std::sqrt(kBlockFactor * squares) / total;
}

}  // namespace

Ranks binomial_ranks(std::uint64_t n, double q) {
  // Rank j is too high with P(fewer than j samples lie below), rank k is too low with P(at least k do).
  Ranks ranks;
  const auto lowest = first_rank(n, q, std::nextafter(1 - kTail, 0.0));
  if (lowest > 1) ranks.low = lowest - 1;
  const auto highest = first_rank(n, q, kTail);
  if (highest <= n) ranks.high = highest;
  return ranks;
}

double effective_samples(std::span<const double> in_order, double value) {
  const std::size_t n = in_order.size();
  const auto below = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(std::count_if(in_order.begin() + static_cast<std::ptrdiff_t>(from),
                                             in_order.begin() + static_cast<std::ptrdiff_t>(to),
                                             [&](double v) { return v <= value; }));
  };
  const double count = static_cast<double>(n);
  const double share = below(0, n) / count;
  const double variance = count * share * (1 - share);
  double squares = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t from = b * n / kBlocks, to = (b + 1) * n / kBlocks;
    squares += std::pow(below(from, to) - share * static_cast<double>(to - from), 2);
  }
  const double inflation = variance > 0 ? std::max(1.0, kBlockFactor * squares / variance) : 1.0;
  return count / (kStudentOverNormal * inflation);
}

Bounds order_statistic_bounds(std::span<const double> sorted, double q, double n_eff) {
  if (n_eff < kFewestEffective) return {};
  const auto ranks = binomial_ranks(static_cast<std::uint64_t>(n_eff), q);
  const double n = static_cast<double>(sorted.size());
  const auto at = [&](double rank) { return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1]; };
  Bounds bounds;
  const double whole = std::floor(n_eff);
  if (ranks.low) bounds.low = at(std::floor(scaled(*ranks.low, n, whole)));
  if (ranks.high) bounds.high = at(std::ceil(scaled(*ranks.high, n, whole)));
  return bounds;
}

Bounds time_block_bounds(std::span<const WeightedSample> sorted, std::uint64_t total, double q,
                         double value) {
  if (sorted.size() < kFewestEvents) return {};
  const auto error = block_error(sorted, static_cast<double>(total), value);
  if (!error) return {};
  const double independent = std::sqrt(q * (1 - q) / static_cast<double>(sorted.size()));
  const double reach = kStudent9 * std::max(*error, independent);
  Bounds bounds;
  if (q - reach >= 0 && reaches(sorted.size(), 1 - q)) bounds.low = quantile(sorted, total, q - reach);
  if (q + reach <= 1 && reaches(sorted.size(), q)) bounds.high = quantile(sorted, total, q + reach);
  return bounds;
}

double block_half_width(const std::array<double, kBlocks>& blocks) {
  return kStudent9 * spread(blocks) / std::sqrt(double{kBlocks});
}

Bounds block_mean_bounds(const std::array<RatioBlock, kBlocks>& blocks, double independent) {
  double above = 0, below = 0, squares = 0;
  for (const auto& block : blocks) {
    if (block.below <= 0) return {};
    above += block.above;
    below += block.below;
  }
  const double mean = above / below;
  for (const auto& block : blocks) squares += std::pow(block.above - mean * block.below, 2);
  const double error = std::max(std::sqrt(kBlockFactor * squares) / below, independent);
  return {mean - kStudent9 * error, mean + kStudent9 * error};
}

Bounds wilson(std::uint64_t hits, std::uint64_t n) {
  return wilson_share(static_cast<double>(hits) / static_cast<double>(n), static_cast<double>(n));
}

Bounds wilson_share(double share, double count) {
  const double z2 = kNormal * kNormal / count;
  const double centre = (share + z2 / 2) / (1 + z2);
  const double half = kNormal * std::sqrt(share * (1 - share) / count + z2 / (4 * count)) / (1 + z2);
  // Rounding may leave a bound of 0 or 1 slightly off.
  return {share > 0 ? std::max(0.0, centre - half) : 0, share < 1 ? std::min(1.0, centre + half) : 1};
}

}  // namespace infermeter
