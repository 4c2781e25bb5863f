// Paired comparison by signed ranks: from the differences of pairs, their middle and exact bounds for it
// (Hodges–Lehmann; Wilcoxon's signed-rank distribution). The only assumption is that the differences are
// symmetric around their middle. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace infermeter {

/// The n(n+1)/2 means (dᵢ + dⱼ)/2 with i ≤ j, ascending.
std::vector<double> walsh_averages(std::span<const double> differences);

/// The k-th smallest and the k-th largest of ascending values, k from 1 to their number.
double kth_smallest(std::span<const double> sorted, std::uint64_t k);
double kth_largest(std::span<const double> sorted, std::uint64_t k);

/// P(W ≤ w) of the signed-rank sum W of n differences about 0.
double signed_rank_probability(std::uint64_t n, std::uint64_t w);

/// The largest k for which the middle lies below the k-th smallest Walsh average with a probability of at
/// most `tail` (and above the k-th largest likewise); nothing where n is too small for any.
std::optional<std::uint64_t> signed_rank_bound(std::uint64_t n, double tail);

struct PairedChange {
  double estimate = 0;              // Hodges–Lehmann: the median of the Walsh averages
  std::optional<double> low, high;  // absent where there are too few pairs
};

/// Of at least one difference; `tail` is the probability left out on each side.
PairedChange paired_change(std::span<const double> differences, double tail = 0.025);

}  // namespace infermeter
