#include "analysis/findings/findings.hpp"

#include <utility>

#include "catch.hpp"

using namespace infermeter;

namespace {

Metric metric(std::string name, double p50) {
  Metric out{.name = std::move(name), .unit = "ms"};
  out.percentiles = {{50, p50, {}, {}}};
  return out;
}

/// A level of a sweep: TTFT, ITL of 128 tokens, tokens per second.
PointResult level(std::uint32_t concurrency, double ttft, double itl, double throughput) {
  PointResult point;
  point.load.concurrency = concurrency;
  point.requests = 10 * concurrency;
  point.steady.emplace();
  point.steady->window_s = 30;
  point.steady->output = throughput;
  point.metrics = {metric("ttft", ttft), metric("e2e", ttft + 127 * itl)};
  return point;
}

std::vector<PointResult> numbered(std::vector<PointResult> points) {
  for (std::size_t i = 0; i < points.size(); ++i) points[i].point = static_cast<std::uint32_t>(i);
  return points;
}

}  // namespace

TEST_CASE("knees: the sketch's sweep has its knee at 32") {
  const auto knees =
      find_knees(numbered({level(1, 41.2, 6.90, 142), level(8, 52.8, 7.42, 1050), level(32, 91.8, 9.79, 3140),
                           level(64, 410, 13.1, 3610), level(128, 2900, 13.4, 3650)}));
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].point == 2);
  CHECK(knees[0].text ==
        "The knee is at concurrency 32: doubling to concurrency 64 brings 15 % more tokens and 4.5 times the "
        "TTFT.");
}

TEST_CASE("knees: the order of the points does not matter and equal levels count once") {
  const auto knees = find_knees(numbered({level(64, 410, 13.1, 3610), level(8, 52.8, 7.42, 1050),
                                          level(32, 91.8, 9.79, 3140), level(8, 60, 8, 1000)}));
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].point == 2);
}

TEST_CASE("knees: a sweep whose last level is the best has no knee, and none is marked") {
  const auto knees =
      find_knees(numbered({level(1, 20, 6, 160), level(4, 21, 6.2, 620), level(16, 25, 6.6, 2300)}));
  CHECK(knees.at(0).point == 2);
  CHECK_FALSE(knees.at(0).found);
  CHECK(knees.at(0).text ==
        "No knee found in this range: concurrency 16, the last level, is still the best.");
}

TEST_CASE("knees: a cliff of points with too few requests for a steady rate is not one") {
  auto points = numbered({level(4, 50, 10, 700), level(8, 55, 10.5, 1300), level(16, 60, 11, 1790),
                          level(32, 900, 11, 1510), level(48, 2000, 11, 1290)});
  for (auto& point : points) {
    point.requests = 80;
    if (point.requests < point.requests_for_steady_rate()) point.whole = *std::exchange(point.steady, {});
  }
  auto knees = find_knees(points);
  CHECK_FALSE(knees.at(0).found);
  CHECK(knees[0].text ==
        "No knee found in this range: concurrency 16, the last level with a steady rate, is still the best.");
  points[2].whole = *std::exchange(points[2].steady, {});
  points[2].validity.checks.push_back({.kind = CheckKind::steady, .state = CheckState::warning});
  knees = find_knees(points);
  CHECK_FALSE(knees.at(0).found);
  CHECK(knees[0].text ==
        "No knee found in this range: 2 of the 5 levels have a steady rate, and it takes 3.");
}

TEST_CASE("knees: a cliff is named where throughput falls or TTFT grows tenfold") {
  const auto at_the_knee =
      find_knees(numbered({level(4, 50, 10, 400), level(16, 60, 11, 1400), level(64, 2100, 14, 1230)}));
  CHECK(at_the_knee.at(0).text ==
        "The knee is at concurrency 16, before a cliff: going to concurrency 64 brings 12 % fewer tokens and "
        "35 times the TTFT.");
  const auto beyond = find_knees(numbered(
      {level(4, 50, 10, 400), level(16, 60, 11, 1400), level(32, 250, 20, 1500), level(64, 9000, 25, 1500)}));
  CHECK(beyond.at(0).text ==
        "The knee is at concurrency 16: doubling to concurrency 32 brings 7.1 % more tokens and 4.2 times "
        "the TTFT. Beyond concurrency 32 is a "
        "cliff: doubling to concurrency 64 brings no more tokens and 36 times the TTFT.");
}

TEST_CASE("knees: each target and shape has its own") {
  auto points = numbered({level(1, 20, 6, 160), level(4, 21, 6.2, 620), level(16, 900, 6.6, 700)});
  auto more = points;
  for (auto& point : more) point.load.shape = "8k/1k";
  auto other = points;
  for (auto& point : other) point.target = 1;
  points.insert(points.end(), more.begin(), more.end());
  points.insert(points.end(), other.begin(), other.end());
  const auto knees = find_knees(points);
  REQUIRE(knees.size() == 3);
  CHECK(knees[1].text.starts_with("With 8k/1k the knee is at concurrency 4, "));
  CHECK(knees[2].target == 1);
}

TEST_CASE("knees: a sweep of rates speaks of requests per second") {
  auto points = numbered({level(1, 20, 6, 160), level(1, 21, 6.2, 620), level(1, 900, 6.6, 700)});
  double rate = 2.5;
  for (auto& point : points) {
    point.load.open_loop = true;
    point.load.rate = rate;
    rate *= 2;
    point.metrics[0].name = "ttft_response";
    point.metrics[1].name = "e2e_response";
  }
  CHECK(find_knees(points).at(0).text ==
        "The knee is at 5 requests/s, before a cliff: doubling to 10 requests/s brings 13 % more "
        "tokens and 43 times "
        "the TTFT.");
}

TEST_CASE("knees: two levels, one level and stages have none") {
  auto points = numbered({level(1, 20, 6, 160), level(4, 21, 6.2, 620)});
  CHECK(find_knees(points).empty());
  points.push_back(level(16, 25, 6.6, 2300));
  points.back().load.stages = "60s:16";
  CHECK(find_knees(points).empty());
  CHECK(find_knees({}).empty());
}
