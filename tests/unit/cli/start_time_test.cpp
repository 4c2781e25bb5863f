#include "cli/options/plan_values.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

constexpr std::int64_t kMinute = 60'000;

/// After 2026-01-31T12:00:00Z.
std::int64_t after(std::string_view text) {
  return parse_start_time("--start-at", text, kHere.now_unix_ms) - kHere.now_unix_ms;
}

}  // namespace

TEST_CASE("start time: an instant of RFC 3339, with a fraction or an offset") {
  CHECK(after("2026-01-31T12:01:00Z") == kMinute);
  CHECK(after("2026-01-31t12:00:00.25z") == 250);
  CHECK(after("2026-01-31T13:01:00+01:00") == kMinute);
  CHECK(after("2026-01-31 06:31:00.1239-05:30") == kMinute + 123);
  CHECK(after("2026-02-01T12:00:00Z") == 24 * 60 * kMinute);
}

TEST_CASE("start time: a time of day is today's in UTC") {
  CHECK(after("12:00") == 0);
  CHECK(after("12:01:30") == kMinute * 3 / 2);
  CHECK(after("23:59:59Z") == 12 * 60 * kMinute - 1000);
}

TEST_CASE("start time: a run that waits says until when, and of another day its date") {
  const std::int64_t noon = kHere.now_unix_ms;
  CHECK(waiting_text(noon + 90'000, noon) == "waiting until 12:01:30 UTC");
  CHECK(waiting_text(noon + 24 * 60 * kMinute, noon) == "waiting until 2026-02-01T12:00:00Z");
  CHECK(waiting_text(noon, noon).empty());
}

TEST_CASE("start time: anything else is refused, and what has passed") {
  for (const char* text : {"", "12", "12:60", "24:00", "1:00", "12:00:0", "2026-01-31", "2026-01-31T12:01:00",
                           "2026-02-30T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T12:01Z", "now",
                           "12:00+01:00", "2026-01-31T12:01:00Z!", "+5:-3"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(after(text), UsageError);
  }
  CHECK_THROWS_WITH(after("11:59:59"), "--start-at: '11:59:59' has passed");
  CHECK_THROWS_WITH(after("2026-01-31T12:30:00+01:00"), "--start-at: '2026-01-31T12:30:00+01:00' has passed");
}
