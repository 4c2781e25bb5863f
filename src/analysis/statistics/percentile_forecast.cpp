#include "analysis/statistics/percentile_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kDecides = 1.96, kHasPower = 1.28;  // the normal distribution's 97.5 and 90 %
constexpr double kWithPower = 1.65;                  // (1.96 + 1.28) / 1.96, of a half width

/// A share r of the samples is beyond the limit, where a share `allowed` may be.
double independent_samples(double allowed, double r) {
  if (r >= allowed) return std::numeric_limits<double>::infinity();
  const double spread = kDecides * std::sqrt(allowed * (1 - allowed)) + kHasPower * std::sqrt(r * (1 - r));
  return std::pow(spread / (r - allowed), 2);
}

double count_beyond(const std::vector<double>& sorted, double limit, bool above) {
  const auto from = std::ranges::lower_bound(sorted, limit), to = std::ranges::upper_bound(sorted, limit);
  return static_cast<double>(above ? sorted.end() - from : to - sorted.begin());
}

}  // namespace

PercentileForecast::PercentileForecast(const PercentileSamples& samples, const LimitedPercentile& of)
    : samples_(samples),
      of_(of),
      value_(samples.quantile(of.q)),
      limit_is_above_(value_ < of.limit),
      block_error_(samples.block_error(of.q)) {
  const auto n = static_cast<double>(samples.sorted().size());
  beyond_ = count_beyond(samples.sorted(), of.limit, limit_is_above_);
  const double allowed = limit_is_above_ ? 1 - of.q : of.q;
  const bool at_tail = limit_is_above_ != tail_is_low(of.q, of.low_tail);
  both_bounds_ = static_cast<double>(fewest_for_both_bounds(of.q, samples.in_flight()));
  fewest_ = at_tail ? both_bounds_ : double{kFewestForOneBound};
  independent_ = independent_samples(allowed, (beyond_ + 0.5) / (n + 1));
  if (beyond_ == 0)
    independent_ =
        std::min(independent_, static_cast<double>(at_tail ? fewest_independent(of.q) : kFewestForOneBound));
  inflation_ = samples.inflation_above(of.limit);
  worth_ = n / samples.n_eff(of.q);
}

bool PercentileForecast::settles(double m) const {
  if (m < fewest_) return false;
  const bool by_counts = m >= inflation_ * independent_ && (m < both_bounds_ || blocks_settle(m));
  return by_counts || m >= worth_ * std::max(independent_, kFewestEffective);
}

bool PercentileForecast::blocks_settle(double m) const {
  if (!block_error_) return false;
  const auto& sorted = samples_.sorted();
  const double wider = block_widening(m, of_.q);
  if (limit_is_above_ ? wider * sorted.back() <= of_.limit : sorted.front() / wider >= of_.limit) return true;
  const double blocks = static_cast<double>(blocks_of_samples(m, samples_.in_flight()));
  const double error = *block_error_ * std::sqrt(static_cast<double>(sorted.size()) / m);
  return of_.limit > 0 &&
         kWithPower * wider * student_975(blocks - 1) * error <= std::abs(std::log(of_.limit / value_));
}

}  // namespace infermeter
