#include "infermeter/model/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace infermeter {

void LagHistogram::add(nanoseconds lag) {
  const double us = static_cast<double>(lag.count()) / 1e3;
  const double bucket = us <= 1 ? 0 : std::ceil(4 * std::log2(us));
  add_bucket(std::min(static_cast<std::size_t>(bucket), kBuckets - 1), 1);
}

void LagHistogram::add_bucket(std::size_t bucket, std::uint32_t count) {
  counts_[std::min(bucket, kBuckets - 1)] += count;
}

void LagHistogram::merge(const LagHistogram& other) {
  for (std::size_t b = 0; b < kBuckets; ++b) counts_[b] += other.counts_[b];
}

std::uint64_t LagHistogram::total() const {
  std::uint64_t sum = 0;
  for (const auto count : counts_) sum += count;
  return sum;
}

double LagHistogram::quantile_us(double q) const {
  const double wanted = q * static_cast<double>(total());
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    sum += counts_[b];
    if (sum > 0 && static_cast<double>(sum) >= wanted) return std::exp2(static_cast<double>(b) / 4);
  }
  return 0;
}

namespace {

// At the ends of the range instead of beyond them.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

void shift_instants(RequestRecord& r, std::int64_t by_us) {
  for (Micros* at : {&r.intended_us, &r.started_us, &r.dns_us, &r.connected_us, &r.tls_us, &r.sent_us,
                     &r.uploaded_us, &r.headers_us, &r.first_byte_us, &r.first_event_us, &r.first_token_us,
                     &r.first_output_us, &r.last_token_us, &r.end_us}) {
    if (*at) **at = saturated_sum(**at, by_us);
  }
}

}  // namespace infermeter
