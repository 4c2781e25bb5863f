#include "analysis/charts/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/figures/token_arrivals.hpp"
#include "analysis/statistics/quantiles.hpp"

namespace infermeter {
namespace {

constexpr double kMostStretches = 300;

/// The shortest of 1, 2, 5, 10, … ms that gives few enough stretches.
std::int64_t round_step_us(std::int64_t whole_us, double detail) {
  const auto most = static_cast<std::int64_t>(detail * kMostStretches);
  for (std::int64_t decade = 1000;; decade *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (whole_us / (digit * decade) < most) return digit * decade;
    }
  }
}

/// Amounts by the stretch that they fall into.
class Stretches {
 public:
  Stretches(std::int64_t from_us, std::int64_t step_us, std::size_t count)
      : from_us_(from_us), step_us_(step_us), amounts_(count) {}

  std::size_t of(std::int64_t at_us) const {
    const auto i = std::max<std::int64_t>(0, at_us - from_us_) / step_us_;
    return std::min(static_cast<std::size_t>(i), amounts_.size() - 1);
  }
  void add(std::int64_t at_us, double amount) { amounts_[of(at_us)] += amount; }
  /// Evenly spread over the time between.
  void spread(std::int64_t from_us, std::int64_t to_us, double amount) {
    if (to_us <= from_us) return add(from_us, amount);
    for (std::size_t i = of(from_us); i <= of(to_us); ++i) {
      const std::int64_t begin = from_us_ + static_cast<std::int64_t>(i) * step_us_;
      const auto inside = std::min(begin + step_us_, to_us) - std::max(begin, from_us);
      if (inside > 0)
        amounts_[i] += amount * static_cast<double>(inside) / static_cast<double>(to_us - from_us);
    }
  }
  std::vector<double> per(double unit) && {
    for (auto& amount : amounts_) amount /= unit;
    return std::move(amounts_);
  }

 private:
  std::int64_t from_us_, step_us_;
  std::vector<double> amounts_;
};

double quantile_or_nan(std::vector<double>& values, double q) {
  std::ranges::sort(values);
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(values, q);
}

void add_ttft(const Records& all, const Stretches& stretches, std::size_t count, Timeline& out) {
  std::vector<std::vector<double>> ttft(count);
  for (const auto* r : all) {
    if (r->outcome == Outcome::ok && r->sent_us && r->first_token_us)
      ttft[stretches.of(*r->sent_us)].push_back(static_cast<double>(*r->first_token_us - *r->sent_us) / 1e3);
  }
  for (auto& values : ttft) {
    out.ttft_p50_ms.push_back(quantile_or_nan(values, 0.5));
    out.ttft_p95_ms.push_back(quantile_or_nan(values, 0.95));
  }
}

bool has_stay(const RequestRecord* r) { return r->started_us && r->end_us; }

}  // namespace

Timeline make_timeline(const Records& all, double tokens_per_event, double detail) {
  std::int64_t from = std::numeric_limits<std::int64_t>::max(), to = 0;
  for (const auto* r : all) {
    if (!has_stay(r)) continue;
    from = std::min(from, *r->started_us);
    to = std::max(to, *r->end_us);
  }
  Timeline out;
  if (from > to) return out;
  const std::int64_t step = round_step_us(to - from, detail);
  from -= from % step;
  const auto count = static_cast<std::size_t>((to - from) / step + 1);
  Stretches stays(from, step, count), tokens(from, step, count);
  out.errors.assign(count, 0);
  for (const auto* r : all) {
    walk_tokens(*r, tokens_per_event, tokens);
    if (!has_stay(r)) continue;
    stays.spread(*r->started_us, *r->end_us, static_cast<double>(*r->end_us - *r->started_us));
    if (is_failure(r->outcome)) ++out.errors[stays.of(*r->end_us)];
  }
  add_ttft(all, stays, count, out);
  out.from_s = static_cast<double>(from) / 1e6;
  out.step_s = static_cast<double>(step) / 1e6;
  out.in_flight = std::move(stays).per(static_cast<double>(step));
  out.output_tokens_per_s = std::move(tokens).per(out.step_s);
  return out;
}

}  // namespace infermeter
