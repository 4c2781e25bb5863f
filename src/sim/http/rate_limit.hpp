// A limit of requests per second as vendors have it: a token bucket with a steady refill. Time is a
// parameter. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

struct RateVerdict {
  bool allowed = true;
  std::uint32_t limit = 0, remaining = 0;  // requests
  nanoseconds retry_after{};               // until a request is available again; zero if allowed
  nanoseconds reset{};                     // until the bucket is full
};

class RateLimit {
 public:
  /// Takes one request from the bucket, if available. The bucket holds one second's requests, at least one,
  /// and starts full.
  RateVerdict take(double per_second, Instant at);

 private:
  bool begun_ = false;
  double level_ = 0;
  Instant filled_{};
};

/// x-ratelimit-limit-requests, …-remaining-requests and …-reset-requests (a Go duration, as OpenAI's); a
/// refusal also gets Retry-After in whole seconds, and with `milliseconds` retry-after-ms too. Whole lines.
std::string rate_headers(const RateVerdict& verdict, bool milliseconds);
/// "350ms", "1.2s", "6m0s".
std::string go_duration(nanoseconds d);

}  // namespace infermeter::sim
