#include "sim/http/rate_limit.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace std::chrono_literals;

namespace {
const Instant kBegin{10s};
}

TEST_CASE("rate limit: a second's worth at once, then one each time it has refilled") {
  RateLimit limit;
  for (std::uint32_t left : {3u, 2u, 1u, 0u}) {
    const RateVerdict verdict = limit.take(4, kBegin);
    CHECK(verdict.allowed);
    CHECK(verdict.remaining == left);
    CHECK(verdict.limit == 4);
  }
  const RateVerdict refused = limit.take(4, kBegin + 100ms);
  CHECK_FALSE(refused.allowed);
  CHECK(refused.retry_after == 150ms);
  CHECK(refused.reset == 900ms);
  CHECK(limit.take(4, kBegin + 250ms).allowed);
  CHECK_FALSE(limit.take(4, kBegin + 499ms).allowed);
  CHECK(limit.take(4, kBegin + 500ms).allowed);
}

TEST_CASE("rate limit: ten times the rate gets the rate, over a minute") {
  RateLimit limit;
  int allowed = 0;
  for (int i = 0; i < 3000; ++i) allowed += limit.take(5, kBegin + i * 20ms).allowed;
  CHECK(allowed == Approx(305).margin(1));
}

TEST_CASE("rate limit: less than one a second still has room for one") {
  RateLimit limit;
  CHECK(limit.take(0.5, kBegin).allowed);
  CHECK(limit.take(0.5, kBegin + 1s).retry_after == 1s);
  CHECK(limit.take(0.5, kBegin + 2s).allowed);
}

TEST_CASE("rate limit: the headers are OpenAI's, the wait is rounded up") {
  CHECK(rate_headers({.limit = 4, .remaining = 3, .reset = 250ms}, true) ==
        "x-ratelimit-limit-requests: 4\r\nx-ratelimit-remaining-requests: 3\r\n"
        "x-ratelimit-reset-requests: 250ms\r\n");
  CHECK(rate_headers({.allowed = false, .limit = 4, .retry_after = 1'200'300us, .reset = 2200ms}, true) ==
        "x-ratelimit-limit-requests: 4\r\nx-ratelimit-remaining-requests: 0\r\n"
        "x-ratelimit-reset-requests: 2.2s\r\nretry-after: 2\r\nretry-after-ms: 1201\r\n");
  CHECK(go_duration(360s) == "6m0s");
  CHECK(go_duration(61500ms) == "1m1.5s");
  CHECK(go_duration(0s) == "0ms");
}
