// The 95 % interval of a percentile of requests (docs/statistics.md): the one rule for tables, assertions,
// comparisons and gates. A bound that the data cannot give is absent. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

/// How the samples of a figure lie in their run.
struct SampleLayout {
  double in_flight = 1;           // mean number of samples in flight
  std::vector<std::size_t> cuts;  // where another run begins, of samples of several runs
  double per_answer = 1;          // samples; more where answers have several choices
};

/// Whether the bad side of a percentile is the low one: the side of its tail, of a median that of its figure.
bool tail_is_low(double q, bool low_tail);

/// The fewest samples for both bounds of the quantile q: three rounds of what is in flight, and 50, from p95
/// on as many as it takes for a bound of independent ones: 72 for p95, 368 for p99, 3,688 for p99.9. Fewer
/// have no bound on the side of the tail.
std::size_t fewest_for_both_bounds(double q, double in_flight);
/// The same without the rounds.
std::size_t fewest_independent(double q);
inline constexpr double kFewestRounds = 3;
/// Fewer samples have no bound at all.
inline constexpr std::size_t kFewestForOneBound = 6;

/// How many blocks show how m samples vary from one part of the run to another: one per round of what is in
/// flight, 3 to 10.
std::size_t blocks_of_samples(double samples, double in_flight);
/// The factor by which the spread of the blocks' quantiles of n samples is widened.
double block_widening(double samples, double q);

/// The samples of one figure, sorted once for all its percentiles. n ≥ 1.
class PercentileSamples {
 public:
  PercentileSamples(std::span<const double> in_order, SampleLayout layout);

  const std::vector<double>& sorted() const { return sorted_; }
  double in_flight() const { return layout_.in_flight; }
  double quantile(double q) const;
  /// `low_tail`: the figure's bad side is the low one.
  Bounds bounds(double q, bool low_tail = false) const;

  /// How many independent samples they are worth for this quantile.
  double n_eff(double q) const;
  /// The standard error of the logarithm of the quantile by the blocks' own quantiles; nothing where a sample
  /// is not positive.
  std::optional<double> block_error(double q) const;
  /// The design effect, by ten blocks, of lying above this value.
  double inflation_above(double value) const;

 private:
  /// A sample and its position in order of intended start.
  struct Placed {
    double value = 0;
    std::size_t at = 0;
  };

  double inflation(std::span<const std::size_t> edges, double value) const;
  std::vector<double> inflations_from_above() const;
  std::vector<double> inflations_from_below() const;
  Bounds rank_bounds(double q) const;
  Bounds count_bounds(double q) const;
  Bounds block_bounds(double q, const Bounds& counted) const;

  SampleLayout layout_;
  std::vector<Placed> placed_;  // ascending
  std::vector<double> sorted_;
  std::vector<std::size_t> edges_, ten_edges_;
  std::vector<std::vector<double>> blocks_;  // each ascending
  /// Of the samples beyond the k-th largest and the k-th smallest one.
  std::vector<double> inflations_above_, inflations_below_;
};

}  // namespace infermeter
