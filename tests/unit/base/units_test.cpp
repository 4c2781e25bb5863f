#include "infermeter/base/units.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

TEST_CASE("units: durations read as people write them") {
  CHECK(parse_duration("-d", "30s") == 30s);
  CHECK(parse_duration("-d", "1.5m") == 90s);
  CHECK(parse_duration("-d", "250ms") == 250ms);
  CHECK(parse_duration("-d", "2h") == 2h);
  CHECK(parse_duration("-d", "0") == 0s);
}

TEST_CASE("units: a duration without a unit is refused by option, value and rule") {
  CHECK_THROWS_WITH(parse_duration("--duration", "30"),
                    "--duration: '30' is not a duration such as 250ms, 30s, 1.5m or 2h");
  CHECK_THROWS_AS(parse_duration("-d", "-3s"), UsageError);
  CHECK_THROWS_AS(parse_duration("-d", "s"), UsageError);
  CHECK_THROWS_AS(parse_duration("-d", "3 s"), UsageError);
}

TEST_CASE("units: counts take k, M and underscores and no fractions") {
  CHECK(parse_count("-n", "4k") == 4000);
  CHECK(parse_count("-n", "1.5M") == 1'500'000);
  CHECK(parse_count("-n", "8_192") == 8192);
  CHECK_THROWS_AS(parse_count("-n", "1.5"), UsageError);
  CHECK_THROWS_AS(parse_count("-n", "-1"), UsageError);
  CHECK_THROWS_AS(parse_count("-n", "12x"), UsageError);
  CHECK_THROWS_AS(parse_count("-n", "1__2"), UsageError);
}

TEST_CASE("units: shares are percentages or fractions") {
  CHECK(parse_share("--max-error-rate", "10%") == Approx(0.1));
  CHECK(parse_share("--max-error-rate", "0.25") == Approx(0.25));
  CHECK_THROWS_AS(parse_share("--max-error-rate", "10"), UsageError);
}

TEST_CASE("units: numbers show three significant digits and thousands") {
  CHECK(format_number(3139.6) == "3,140");
  CHECK(format_number(0.0403) == "0.0403");
  CHECK(format_number(102.4) == "102");
  CHECK(format_number(9.786) == "9.79");
  CHECK(format_number(99.96) == "100");
  CHECK(format_number(0) == "0");
  CHECK(format_number(-1234567) == "-1,230,000");
  CHECK(format_count(1234567) == "1,234,567");
}

TEST_CASE("units: durations are written with the unit that suits") {
  CHECK(format_duration(250ms) == "250 ms");
  CHECK(format_duration(90s) == "90 s");
  CHECK(format_duration(10min) == "10 m");
  CHECK(format_duration(nanoseconds(40'000)) == "40 µs");
}

TEST_CASE("units: sizes take units of 1000 and of 1024, and are never 0") {
  CHECK(parse_bytes("--log-limit", "64MB") == 64'000'000);
  CHECK(parse_bytes("--log-limit", "1.5GB") == 1'500'000'000);
  CHECK(parse_bytes("--log-limit", "512KiB") == 524'288);
  CHECK(parse_bytes("--log-limit", "4k") == 4000);
  CHECK(parse_bytes("--log-limit", "4096") == 4096);
  CHECK_THROWS_WITH(parse_bytes("--log-limit", "64 parsecs"),
                    "--log-limit: '64 parsecs' is not a size such as 64MB, 1.5GB or 512KiB");
  for (const char* text : {"0", "-1MB", "9e9GB", "1e300", "MB", "1XB", "10000TB"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_bytes("--log-limit", text), UsageError);
  }
  CHECK(format_bytes(512) == "512 bytes");
  CHECK(format_bytes(64'000'000) == "64 MB");
}
