#include "analysis/checks/health.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

OutcomeCount of(Outcome outcome, std::uint64_t count, int status = 0) {
  return {.outcome = outcome, .status = status, .count = count, .example = {}};
}

PointResult point_at(std::uint32_t concurrency, std::vector<OutcomeCount> outcomes,
                     std::uint32_t target = 0) {
  PointResult point;
  point.target = target;
  point.load.concurrency = concurrency;
  for (const auto& count : outcomes) {
    point.requests += count.count;
    if (count.outcome == Outcome::ok) point.ok += count.count;
  }
  point.outcomes = std::move(outcomes);
  return point;
}

Health alone(std::vector<OutcomeCount> outcomes) {
  const auto all = find_health(std::vector{point_at(1, std::move(outcomes))});
  REQUIRE(all.size() == 1);
  return all.front();
}

HealthState state(std::uint64_t ok, std::uint64_t failed) {
  return alone({of(Outcome::ok, ok), of(Outcome::truncated, failed)}).state;
}

}  // namespace

TEST_CASE("health: from 5 % of the requests on a target is degraded, from 50 % on it has failed") {
  CHECK(state(100, 0) == HealthState::good);
  CHECK(state(96, 4) == HealthState::good);
  CHECK(state(95, 5) == HealthState::degraded);
  CHECK(state(51, 49) == HealthState::degraded);
  CHECK(state(50, 50) == HealthState::failed);
  CHECK(state(8, 33) == HealthState::failed);
}

TEST_CASE("health: 429, 503 and whole answers in place of streams are failures") {
  const Health health = alone({of(Outcome::ok, 90), of(Outcome::http_error, 6, 429),
                               of(Outcome::http_error, 3, 503), of(Outcome::not_streamed, 1)});
  CHECK(health.failed == 10);
  CHECK(health.requests == 100);
  CHECK(health.state == HealthState::degraded);
  REQUIRE(health.failures.size() == 3);
  CHECK(health.failures[0].status == 429);
}

TEST_CASE("health: streams that we closed were served, and what was never sent does not count") {
  CHECK(alone({of(Outcome::cancelled, 100)}).state == HealthState::good);
  const Health dropped = alone({of(Outcome::dropped, 900), of(Outcome::ok, 5), of(Outcome::connect, 5)});
  CHECK(dropped.requests == 10);
  CHECK(dropped.state == HealthState::failed);
  const Health stopped = alone({of(Outcome::ok, 10), of(Outcome::interrupted, 10)});
  CHECK(stopped.failed == 0);
  CHECK(stopped.requests == 10);
}

TEST_CASE("health: a limit of this machine is no failure of the server") {
  const Health some = alone({of(Outcome::ok, 38), of(Outcome::connect, 2), of(Outcome::client_limit, 102)});
  CHECK(some.requests == 40);
  CHECK(some.failed == 2);
  CHECK(some.state == HealthState::degraded);
  const Health all = alone({of(Outcome::client_limit, 20)});
  CHECK(all.state == HealthState::good);  // the run says nothing about it
  CHECK(all.failed == 0);
  CHECK(alone({of(Outcome::client_limit, 20), of(Outcome::connect, 1)}).state == HealthState::failed);
}

TEST_CASE("health: without a request that counts nothing was served") {
  CHECK(alone({of(Outcome::dropped, 3)}).state == HealthState::failed);
  CHECK(find_health(std::vector{PointResult{}}).empty());  // a point that the run did not reach
}

TEST_CASE("health: each target and each load is judged by itself, the runs of one load together") {
  std::vector points{point_at(8, {of(Outcome::ok, 19), of(Outcome::connect, 1)}),
                     point_at(8, {of(Outcome::ok, 20)}), point_at(8, {of(Outcome::connect, 20)}, 1),
                     point_at(64, {of(Outcome::timeout, 20)})};
  points[1].load.run = 2;
  const auto all = find_health(points);
  REQUIRE(all.size() == 3);
  CHECK(all[0].requests == 40);
  CHECK(all[0].state == HealthState::good);
  CHECK(all[1].target == 1);
  CHECK(all[1].state == HealthState::failed);
  CHECK(all[1].lowest_load);
  CHECK(all[2].state == HealthState::failed);
  CHECK_FALSE(all[2].lowest_load);
}

TEST_CASE("health: of equal concurrency the load with the shorter prompts is the lowest") {
  std::vector points{point_at(8, {of(Outcome::ok, 1)}), point_at(8, {of(Outcome::ok, 1)})};
  points[0].load.input_tokens = 32'000;
  points[1].load.input_tokens = 1000;
  CHECK_FALSE(has_lowest_load(points, points[0]));
  CHECK(has_lowest_load(points, points[1]));
}
