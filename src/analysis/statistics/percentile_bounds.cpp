#include "analysis/statistics/percentile_bounds.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <utility>

#include "analysis/statistics/sample_blocks.hpp"
#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kBoundTail = 0.025;
constexpr std::size_t kLevelBlocks = 10, kFewestBlocks = 3;
constexpr double kFewestOfAny = 50;
constexpr double kWidening = 3.4;     // by simulation: without it the blocks' spread is too small for a tail
constexpr double kMostExponent = 50;  // e⁵⁰ is beyond any time, and a larger one may overflow

/// Half as long as by way of long double, and as exact as the data deserve.
using PlainDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// P(at most k/φ of n/φ samples lie beyond a level) ≤ 2.5 %, where a share 1 − q lies beyond the quantile,
/// for real arguments: that a beta variable with k/φ + 1 and (n − k)/φ is at most q.
bool is_supported(double k, double n, double phi, double q) {
  const double a = (n - k) / phi, b = k / phi + 1;
  const double mean = a / (a + b);
  if (mean <= q) return false;  // at about 50 %
  // Chernoff's bound spares nearly all incomplete beta functions on the way to the level.
  const double log_bound = a * std::log(q / mean) + b * std::log((1 - q) / (1 - mean));
  return log_bound <= std::log(kBoundTail) || boost::math::ibeta(a, b, q, PlainDouble()) <= kBoundTail;
}

/// How many levels, from the extreme sample inwards, are supported by the count of samples beyond: k beyond
/// level k, each with its own design effect. The probability grows with k and with φ, so that of the last one
/// with the largest φ holds for several.
std::size_t supported_levels(const std::vector<double>& inflations, double q) {
  constexpr std::size_t at_once = 32;
  const double n = static_cast<double>(inflations.size());
  for (std::size_t from = 0; from < inflations.size(); from += at_once) {
    const auto to = std::min(from + at_once, inflations.size());
    const auto some = std::span(inflations).subspan(from, to - from);
    if (is_supported(static_cast<double>(to - 1), n, std::ranges::max(some), q)) continue;
    for (std::size_t k = from; k < to; ++k) {
      if (!is_supported(static_cast<double>(k), n, inflations[k], q)) return k;
    }
  }
  return inflations.size();
}

std::optional<double> greater(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}
std::optional<double> lesser(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// The block that a position belongs to.
std::size_t block_at(std::span<const std::size_t> edges, std::size_t at) {
  return static_cast<std::size_t>(std::ranges::upper_bound(edges, at) - edges.begin()) - 1;
}

std::vector<std::uint8_t> blocks_by_position(std::span<const std::size_t> edges) {
  std::vector<std::uint8_t> out(edges.back());
  for (std::size_t b = 0; b + 1 < edges.size(); ++b)
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(edges[b]),
              out.begin() + static_cast<std::ptrdiff_t>(edges[b + 1]), static_cast<std::uint8_t>(b));
  return out;
}

}  // namespace

bool tail_is_low(double q, bool low_tail) { return q < 0.5 || (q == 0.5 && low_tail); }

std::size_t fewest_independent(double q) {
  const double for_tail = std::ceil(std::log(kBoundTail) / std::log(std::max(q, 1 - q)));
  return static_cast<std::size_t>(std::max(kFewestOfAny, for_tail));
}

std::size_t fewest_for_both_bounds(double q, double in_flight) {
  return std::max(fewest_independent(q), static_cast<std::size_t>(std::ceil(kFewestRounds * in_flight)));
}

std::size_t blocks_of_samples(double samples, double in_flight) {
  const double rounds = in_flight > 0 ? std::floor(samples / in_flight) : samples;
  return static_cast<std::size_t>(std::clamp(rounds, double{kFewestBlocks}, double{kBlocks}));
}

double block_widening(double samples, double q) {
  return 1 + kWidening / std::sqrt(samples * std::min(q, 1 - q));
}

PercentileSamples::PercentileSamples(std::span<const double> in_order, SampleLayout layout)
    : layout_(std::move(layout)) {
  const std::size_t n = in_order.size();
  placed_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) placed_.push_back({in_order[i], i});
  std::ranges::sort(placed_, {}, &Placed::value);
  sorted_.reserve(n);
  for (const auto& one : placed_) sorted_.push_back(one.value);
  edges_ = block_edges(n, blocks_of_samples(static_cast<double>(n), layout_.in_flight), layout_.cuts);
  ten_edges_ = block_edges(n, kLevelBlocks, layout_.cuts);
  blocks_.resize(edges_.size() - 1);
  const auto block = blocks_by_position(edges_);
  for (const auto& one : placed_) blocks_[block[one.at]].push_back(one.value);
  inflations_above_ = inflations_from_above();
  inflations_below_ = inflations_from_below();
}

double PercentileSamples::quantile(double q) const { return infermeter::quantile(sorted_, q); }

Bounds PercentileSamples::bounds(double q, bool low_tail) const {
  const std::size_t n = sorted_.size();
  if (n < kFewestForOneBound) return {};
  const auto ranked = rank_bounds(q), counted = count_bounds(q);
  if (n < fewest_for_both_bounds(q, layout_.in_flight)) {
    Bounds one{greater(ranked.low, counted.low), lesser(ranked.high, counted.high)};
    (tail_is_low(q, low_tail) ? one.low : one.high).reset();
    return one;
  }
  const auto by_blocks = block_bounds(q, counted);
  return {greater(ranked.low, by_blocks.low), lesser(ranked.high, by_blocks.high)};
}

double PercentileSamples::n_eff(double q) const {
  const double blocks = static_cast<double>(blocks_.size());
  const double student = blocks > 1 ? student_975(blocks - 1) / 1.96 : 1;
  return static_cast<double>(sorted_.size()) / (student * student * inflation(edges_, quantile(q)));
}

std::optional<double> PercentileSamples::block_error(double q) const {
  if (sorted_.front() <= 0 || blocks_.size() < 2) return std::nullopt;
  const double middle = quantile(q);
  double squares = 0;
  for (const auto& block : blocks_) {
    if (!block.empty()) squares += std::pow(std::log(infermeter::quantile(block, q) / middle), 2);
  }
  const double blocks = static_cast<double>(blocks_.size());
  return std::sqrt(squares / ((blocks - 1) * blocks));
}

double PercentileSamples::inflation_above(double value) const { return inflation(ten_edges_, value); }

double PercentileSamples::inflation(std::span<const std::size_t> edges, double value) const {
  BlockCounts counts(edges);
  for (auto it = placed_.rbegin(); it != placed_.rend() && it->value > value; ++it)
    counts.add(block_at(edges, it->at));
  return counts.inflation();
}

std::vector<double> PercentileSamples::inflations_from_above() const {
  BlockCounts counts(ten_edges_);
  const auto block = blocks_by_position(ten_edges_);
  std::vector<double> out(placed_.size());
  std::size_t added = 0;  // samples above the level; its equals are not
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    const auto& level = placed_[placed_.size() - 1 - k];
    for (; placed_[placed_.size() - 1 - added].value > level.value; ++added)
      counts.add(block[placed_[placed_.size() - 1 - added].at]);
    out[k] = counts.inflation();
  }
  return out;
}

std::vector<double> PercentileSamples::inflations_from_below() const {
  BlockCounts counts(ten_edges_);
  const auto block = blocks_by_position(ten_edges_);
  std::vector<double> out(placed_.size());
  std::size_t added = 0;
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    for (; placed_[added].value < placed_[k].value; ++added) counts.add(block[placed_[added].at]);
    out[k] = counts.inflation();
  }
  return out;
}

Bounds PercentileSamples::rank_bounds(double q) const { return order_statistic_bounds(sorted_, q, n_eff(q)); }

Bounds PercentileSamples::count_bounds(double q) const {
  const auto above = supported_levels(inflations_above_, q);
  const auto below = supported_levels(inflations_below_, 1 - q);
  Bounds out;
  if (above > 0) out.high = sorted_[sorted_.size() - above];
  if (below > 0) out.low = sorted_[below - 1];
  return out;
}

Bounds PercentileSamples::block_bounds(double q, const Bounds& counted) const {
  const auto error = block_error(q);
  if (!error) return {};
  const double middle = quantile(q), wider = block_widening(static_cast<double>(sorted_.size()), q);
  const double student = student_975(static_cast<double>(blocks_.size() - 1));
  const double reach = std::exp(std::min(kMostExponent, wider * student * *error));
  Bounds out;
  if (counted.high) out.high = std::max(*counted.high, std::min(middle * reach, wider * sorted_.back()));
  if (counted.low) out.low = std::min(*counted.low, std::max(middle / reach, sorted_.front() / wider));
  return out;
}

}  // namespace infermeter
