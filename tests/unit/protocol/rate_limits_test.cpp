#include "protocol/http/response_headers.hpp"

#include "catch.hpp"
#include "protocol/http/outcome.hpp"

using namespace infermeter;

namespace {
constexpr const char* kDate = "Wed, 21 Oct 2035 07:27:30 GMT";
}

TEST_CASE("limits: a reset is read in every form that servers write") {
  struct Case {
    const char* reset;
    std::int64_t ms;
  };
  const Case cases[] = {{"12ms", 12},
                        {"6.5s", 6500},
                        {"1m0s", 60'000},
                        {"1m30.25s", 90'250},
                        {"6m0s", 120'000},
                        {"2h", 120'000},
                        {"30", 30'000},
                        {"0.25", 250},
                        {"2076564480", 30'000},
                        {"2076564480000", 30'000},
                        {"2035-10-21T07:28:00Z", 30'000},
                        {"2035-10-21T09:28:00+02:00", 30'000},
                        {"2035-10-21T05:57:40.5-01:30", 10'000},
                        {"Wed, 21 Oct 2035 07:28:00 GMT", 30'000},
                        {"2035-10-21T07:00:00Z", 0},
                        {"-1", 0}};
  for (const auto& c : cases) {
    CAPTURE(c.reset);
    CHECK(reset_after_ms(c.reset, kDate) == c.ms);
  }
}

TEST_CASE("limits: what is no reset, or an instant without the server's date, says nothing") {
  for (const char* reset : {"", "soon", "6m0", "m", "2035-13-21T07:28:00Z", "2035-10-21", "nan"}) {
    CAPTURE(reset);
    CHECK_FALSE(reset_after_ms(reset, kDate).has_value());
  }
  CHECK_FALSE(reset_after_ms("2035-10-21T07:28:00Z", "").has_value());
  CHECK_FALSE(reset_after_ms("2076564480", "").has_value());
}

TEST_CASE("limits: the longest reset of those used up is waited for, else the shortest of all") {
  RateLimits limits;
  limits.add("x-ratelimit-remaining-requests", "0");
  limits.add("x-ratelimit-reset-requests", "2s");
  limits.add("x-ratelimit-remaining-tokens", "0");
  limits.add("x-ratelimit-reset-tokens", "5s");
  limits.add("x-ratelimit-remaining-images", "9");
  limits.add("x-ratelimit-reset-images", "60s");
  CHECK(limits.wait_ms("") == 5000);
  RateLimits none_used_up;
  none_used_up.add("x-ratelimit-remaining-tokens", "12");
  none_used_up.add("x-ratelimit-reset-tokens", "5s");
  none_used_up.add("x-ratelimit-reset-requests", "0");
  CHECK(none_used_up.wait_ms("") == 5000);
  CHECK_FALSE(RateLimits().wait_ms("").has_value());
}

TEST_CASE("limits: a server cannot fill the records with headers") {
  RateLimits limits;
  for (int i = 0; i < 1000; ++i) limits.add("x-ratelimit-" + std::to_string(i), std::string(10'000, 'x'));
  CHECK(limits.headers().size() == 32);
  CHECK(RateLimits().headers().empty());
}
