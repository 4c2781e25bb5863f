// Where the mean TTFT goes.
#include "analysis/figures/ttft_parts.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

Metric mean(const char* name, double ms) { return {.name = name, .unit = "ms", .count = 10, .mean = ms}; }

PointResult measured() {
  PointResult point;
  point.metrics = {mean("client_queue", 2), mean("ttft", 100), mean("ttft_response", 105)};
  return point;
}

}  // namespace

TEST_CASE("ttft parts: they add up to the time from the intended start") {
  PointResult point = measured();
  point.scraped =
      ServerWindow{.from = "vllm", .times = {mean("ttft", 96), mean("queue", 30), mean("prefill", 60)}};
  const auto parts = ttft_parts(point);
  REQUIRE(parts);
  CHECK(parts->tier == "prometheus");
  CHECK(parts->client_queue == 2);
  CHECK(parts->connect == Approx(3));
  CHECK(parts->network == Approx(4));
  CHECK(parts->queue == 30);
  CHECK(parts->prefill == 60);
  CHECK(parts->rest == Approx(6));
  CHECK(parts->total() == Approx(105));
}

TEST_CASE("ttft parts: the times of the answers are of our requests alone, and win over the metrics page") {
  PointResult point = measured();
  point.scraped = ServerWindow{.from = "vllm", .times = {mean("ttft", 96), mean("queue", 30)}};
  point.server_metrics = {mean("queue", 20), mean("prefill", 70)};
  const auto parts = ttft_parts(point);
  REQUIRE(parts);
  CHECK(parts->tier == "server");
  CHECK(parts->queue == 20);
  CHECK(parts->network == 0);  // the answers tell no TTFT
  CHECK(parts->rest == Approx(10));
  CHECK(parts->total() == Approx(105));
}

TEST_CASE("ttft parts: without the server's queue time there are none") {
  PointResult point = measured();
  CHECK_FALSE(ttft_parts(point));
  point.scraped = ServerWindow{.from = "llama.cpp", .times = {mean("ttft", 96)}};
  CHECK_FALSE(ttft_parts(point));
  point.server_metrics = {mean("queue", 1)};
  point.metrics.clear();
  CHECK_FALSE(ttft_parts(point));
}
