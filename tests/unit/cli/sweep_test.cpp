// Load points: lists, shapes, stages and traces.
#include "catch.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

const std::string kTrace = INFERMETER_TEST_DATA "/workloads/mooncake.jsonl";

std::vector<Load> points_of(const std::string& options) { return plan_of(options).sweep.points; }

}  // namespace

TEST_CASE("sweep: each level of load is a point with its own warm-up") {
  const auto points = points_of("-c 1,8,64 -n 10x");
  REQUIRE(points.size() == 3);
  CHECK(points[1].concurrency == 8);
  CHECK(points[1].requests == 80u);
  CHECK(points[2].warmup_requests == 64u);
  CHECK(points_of("-c 1,8 -n 100")[1].requests == 100u);
  CHECK(points_of("--rate 1,2.5")[1].rate == 2.5);
}

TEST_CASE("sweep: shapes are crossed with the levels, shape by shape") {
  const auto points = points_of("-c 1,8 --shape 1k/128,8k --output-tokens 16");
  REQUIRE(points.size() == 4);
  CHECK(points[1].shape_text == "1k/128");
  CHECK(points[1].concurrency == 8);
  CHECK(points[1].shape->first.sole() == 1000);
  CHECK(points[1].shape->second.sole() == 128);
  CHECK(points[2].shape->first.sole() == 8000);
  CHECK(points[2].shape->second.sole() == 16);
}

TEST_CASE("sweep: what happens around the points is taken over") {
  const Sweep sweep =
      run_of({"run", "h", "-c", "1,2", "--cooldown", "3s", "--stop-when", "ttft.p95 > 2s", "--stop-when",
              "error_rate > 5%", "--before-point", "reset cache", "--after-point", "true", "--resume", "dir"})
          .plan.sweep;
  CHECK(sweep.cooldown == 3s);
  REQUIRE(sweep.stop_when.size() == 2);
  CHECK(sweep.stop_when[0].text == "ttft.p95 > 2s");
  CHECK(sweep.before_point == "reset cache");
  CHECK(sweep.after_point == "true");
  CHECK(sweep.resume == "dir");
}

TEST_CASE("sweep: stages are of requests in flight, or of a rate where an arrival or a rate is given") {
  const Load closed = points_of("--stages 10s:4,20s:4,5s:0").front();
  CHECK_FALSE(closed.open_loop());
  CHECK(closed.concurrency == 4);
  CHECK(closed.stages.size() == 3);
  CHECK(closed.duration == 35s);
  CHECK(closed.warmup_requests == 0u);
  CHECK_FALSE(closed.warmup_duration.has_value());
  const Load open = points_of("--stages 10s:2.5,20s:2.5 --arrival constant").front();
  CHECK(open.rate == 2.5);
  CHECK(open.arrival == Arrival::constant);
  CHECK(points_of("--rate 4 --stages 10s:4,20s:4").front().rate == 4.0);
}

TEST_CASE("sweep: a rate beside stages makes them requests per second, whatever its number") {
  const Load load = points_of("--rate 1 --stages 10s:20,20s:20").front();
  CHECK(load.rate == 20.0);
  CHECK(load.arrival == Arrival::poisson);
  CHECK(load.stages.back().target == 20);
}

TEST_CASE("sweep: a trace has no rate, no warm-up and ends by itself") {
  const Load load = points_of("--arrival trace --replay-speed 2x --workload " + kTrace).front();
  CHECK(load.open_loop());
  CHECK_FALSE(load.rate.has_value());
  CHECK(load.replay_speed == 2);
  CHECK(load.warmup_requests == 0u);
  CHECK_FALSE(load.duration.has_value());
  CHECK(points_of("--arrival trace -d 5s --workload " + kTrace).front().duration == 5s);
}

TEST_CASE("sweep: several points are asked for their look even with one request each") {
  CHECK(plan_of("-c 1,2 -n 1").preflight);
  CHECK_FALSE(plan_of("-n 1").preflight);
}
