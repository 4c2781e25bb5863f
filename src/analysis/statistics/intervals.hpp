// 95 % confidence intervals (METHOD: order statistics with an effective sample size, ten blocks of time).
// Each returns only what the data supports: a bound that the data cannot give is absent, never a guess. Pure;
// any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "analysis/statistics/quantiles.hpp"

namespace infermeter {

inline constexpr std::size_t kBlocks = 10;
/// Student's t with 9 degrees of freedom at 97.5 %: ten blocks.
inline constexpr double kStudent9 = 2.262;
/// The normal distribution's 97.5 %.
inline constexpr double kNormal = 1.95996;
/// With fewer effectively independent samples no interval is given.
inline constexpr double kFewestEffective = 30;
/// With fewer events, blocks of time give no interval.
inline constexpr std::size_t kFewestEvents = 100;

struct Bounds {
  std::optional<double> low, high;
};

/// Ranks, counted from 1, of the order statistics that enclose a quantile.
struct Ranks {
  std::optional<std::uint64_t> low, high;
};

/// The tightest ranks that are each on the wrong side with a probability of at most 2.5 %, by the binomial
/// distribution of n independent samples. An upper one exists from n ≥ ln 0.025 / ln q: 36 for p90, 72 for
/// p95, 368 for p99, 3,688 for p99.9; for a lower one by symmetry.
Ranks binomial_ranks(std::uint64_t n, double q);

/// How many independent samples the correlated ones are worth for the percentile of this value: the counts
/// below it in ten equal blocks of the samples in order of intention vary more than those of independent
/// samples would.
double effective_samples(std::span<const double> in_order, double value);

/// Bounds of the quantile q of ascending samples that are worth n_eff independent samples.
Bounds order_statistic_bounds(std::span<const double> sorted, double q, double n_eff);

/// Bounds of the quantile q of event-level samples, which share engine steps and so depend on each other.
/// They follow from the spread, over ten blocks of time, of the weight at or below `value`, the quantile
/// itself. None with fewer than 100 samples or an empty block. The spread is at least that of independent
/// samples.
Bounds time_block_bounds(std::span<const WeightedSample> sorted, std::uint64_t total, double q, double value);

/// Half width of the interval of the mean of ten blocks.
double block_half_width(const std::array<double, kBlocks>& blocks);

/// One block of a mean: Σ of the numerator and Σ of the denominator (samples, their weights, seconds).
struct RatioBlock {
  double above = 0, below = 0;
};

/// Bounds of the mean Σ above / Σ below over ten blocks, from the spread of the blocks around it. The spread
/// is at least `independent`, the standard error of samples without any correlation. None with an empty
/// block.
Bounds block_mean_bounds(const std::array<RatioBlock, kBlocks>& blocks, double independent);

/// Wilson's score interval of a share; n > 0.
Bounds wilson(std::uint64_t hits, std::uint64_t n);
/// The same for a share of samples that are worth `count` independent ones, which need not be an integer.
Bounds wilson_share(double share, double count);

}  // namespace infermeter
