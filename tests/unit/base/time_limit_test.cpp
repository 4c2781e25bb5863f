#include "base/time_limit.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {
const Instant t0{1000s};
}

TEST_CASE("time limit: the earliest of several limits ends it and gives its name") {
  const std::atomic<bool> stop{false};
  const TimeLimit limit = TimeLimit(stop)
                              .within(t0, 60s, "--max-time")
                              .within(t0, 5s, "--timeout")
                              .within(t0, 9s, "--timeout-gap");
  CHECK(limit.end() == t0 + 5s);
  CHECK_FALSE(limit.over(t0 + 5s - 1ns));
  CHECK(limit.over(t0 + 5s));
  CHECK(limit.text() == "5 s (--timeout)");
  CHECK(limit.left(t0 + 4s) == 1s);
  CHECK(limit.left(t0 + 7s) == 0s);
}

TEST_CASE("time limit: without an end only the user's wish to stop ends it") {
  std::atomic<bool> stop{false};
  const TimeLimit limit(stop);
  CHECK_FALSE(limit.over(t0 + 100'000h));
  stop = true;
  CHECK(limit.over(t0));
  CHECK(limit.text() == "interrupted");
}

TEST_CASE("time limit: a limit longer than all time ends nothing") {
  const std::atomic<bool> stop{false};
  CHECK(TimeLimit(stop).within(t0, nanoseconds::max(), "--timeout").end() == Instant::max());
}

TEST_CASE("time limit: another wish to stop keeps the end") {
  const std::atomic<bool> user{false}, server{true};
  const TimeLimit limit = TimeLimit(user).within(t0, 5s, "--max-time").stopped_by(server);
  CHECK(limit.stopped());
  CHECK(limit.end() == t0 + 5s);
}
