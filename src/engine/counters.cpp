#include "infermeter/engine/counters.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {

void LiveHistogram::add(nanoseconds d) {
  const double us = std::max(1.0, static_cast<double>(d.count()) / 1e3);
  const auto bucket = static_cast<std::size_t>(16 * std::log2(us));
  counts_[std::min(bucket, counts_.size() - 1)].fetch_add(1, std::memory_order_relaxed);
}

void LiveHistogram::add_to(std::array<std::uint64_t, 512>& sums) const {
  for (std::size_t b = 0; b < counts_.size(); ++b) sums[b] += counts_[b].load(std::memory_order_relaxed);
}

double live_median_ms(const std::array<std::uint64_t, 512>& sums) {
  std::uint64_t total = 0;
  for (const auto count : sums) total += count;
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    seen += sums[b];
    if (total > 0 && 2 * seen >= total) return std::exp2((static_cast<double>(b) + 0.5) / 16) / 1e3;
  }
  return 0;
}

void ErrorBudget::count(Outcome outcome, int status) {
  // What we ourselves did not send or did not let end says nothing of the server.
  if (outcome == Outcome::dropped || outcome == Outcome::cancelled || outcome == Outcome::interrupted) return;
  if (is_error(outcome, status)) control_.errors.fetch_add(1);
  // Before `completed`, so that another worker never sees a success as a failure.
  if (outcome == Outcome::ok || outcome == Outcome::not_streamed) control_.succeeded.fetch_add(1);
  const std::uint64_t completed = control_.completed.fetch_add(1) + 1;
  if (completed < looks_after_) return;
  if ((completed == looks_after_ && all_failed()) || rate_exceeded()) control_.stop = true;
}

bool ErrorBudget::all_failed() const { return control_.completed > 0 && control_.succeeded == 0; }

bool ErrorBudget::rate_exceeded() const {
  const auto completed = static_cast<double>(control_.completed.load());
  return max_error_rate_ && completed >= static_cast<double>(looks_after_) &&
         static_cast<double>(control_.errors.load()) > *max_error_rate_ * completed;
}

}  // namespace infermeter
