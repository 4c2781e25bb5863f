// A limit of requests per second as vendors have it: a bucket that refills steadily. Time is a parameter. One
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

struct RateVerdict {
  bool allowed = true;
  std::uint32_t limit = 0, remaining = 0;  // requests
  nanoseconds retry_after{};               // until one is there again; zero where it was allowed
  nanoseconds reset{};                     // until the bucket is full
};

class RateLimit {
 public:
  /// Takes one request's worth, if there is any. The bucket holds a second's requests, one at least, and is
  /// full at first.
  RateVerdict take(double per_second, Instant at);

 private:
  bool begun_ = false;
  double level_ = 0;
  Instant filled_{};
};

/// x-ratelimit-limit-requests, …-remaining-requests and …-reset-requests (a Go duration, as OpenAI's), and of
/// a refusal Retry-After in whole seconds; with `milliseconds` retry-after-ms too. Whole lines.
std::string rate_headers(const RateVerdict& verdict, bool milliseconds);
/// "350ms", "1.2s", "6m0s".
std::string go_duration(nanoseconds d);

}  // namespace infermeter::sim
