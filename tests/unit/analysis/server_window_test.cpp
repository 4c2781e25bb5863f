// What the scrapes around a load point add up to.
#include "analysis/figures/server_window.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace infermeter;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr double kInf = std::numeric_limits<double>::infinity();

Scrape at(std::int64_t second, double requests, double running = 1, const std::string& page = "p") {
  Scrape scrape{.page = page, .at_us = second * kSecond, .from = "vllm"};
  scrape.counters = {{"requests", requests}, {"preemptions", 2 * requests}};
  scrape.gauges = {{"kv_cache", running / 10}, {"running", running}};
  // Each request adds 0.2 s: half of them under 0.1 s, the others under 0.5 s.
  scrape.times = {
      {"ttft", {0.2 * requests, requests, {{0.1, requests / 2}, {0.5, requests}, {kInf, requests}}}}};
  return scrape;
}

Window from_to(std::int64_t from_s, std::int64_t to_s) {
  return {.from_us = from_s * kSecond, .to_us = to_s * kSecond};
}

ServerWindow window_of(const std::vector<Scrape>& scrapes, const Window& window) {
  const auto out = server_window(scrapes, window, {});
  REQUIRE(out);
  return *out;
}

}  // namespace

TEST_CASE("server window: counters are differences between the scrapes nearest to its edges") {
  std::vector<Scrape> scrapes;
  for (int s = 0; s <= 10; ++s) scrapes.push_back(at(s, 100 + 10 * s, s));
  const ServerWindow out = window_of(scrapes, from_to(2, 8));
  CHECK(out.from_s == 2);
  CHECK(out.to_s == 8);
  CHECK(out.scrapes == 7);
  CHECK(out.count("requests") == 60);
  CHECK(out.count("preemptions") == 120);
  REQUIRE(out.find("ttft") != nullptr);
  CHECK(out.find("ttft")->count == 60);
  CHECK(out.find("ttft")->mean == Approx(200));
  REQUIRE(out.gauges.size() == 2);
  CHECK(out.gauges[0].name == "running");
  CHECK(out.gauges[0].mean == Approx(5));
  CHECK(out.gauges[0].max == 8);
  CHECK(out.gauges[1].mean == Approx(0.5));
}

TEST_CASE("server window: a percentile is known within its bucket") {
  const ServerWindow out = window_of({at(0, 0), at(5, 100)}, from_to(0, 5));
  const Metric& ttft = *out.find("ttft");
  CHECK(ttft.find(50)->low == 0);
  CHECK(ttft.find(50)->high == Approx(100));
  CHECK(ttft.find(50)->value == Approx(100));
  CHECK(ttft.find(95)->low == Approx(100));
  CHECK(ttft.find(95)->high == Approx(500));
  CHECK(ttft.find(95)->value == Approx(460));
  CHECK(std::isnan(ttft.stddev));
  CHECK(out.gauges.empty());  // two scrapes say nothing of what was between
}

TEST_CASE("server window: beyond the last edge only a lower bound is known") {
  Scrape before = at(0, 0), after = at(5, 0);
  after.times = {{"ttft", {50, 10, {{0.1, 2}, {kInf, 10}}}}};
  const Percentile p95 = *window_of({before, after}, from_to(0, 5)).find("ttft")->find(95);
  CHECK(p95.low == Approx(100));
  CHECK_FALSE(p95.high);
}

TEST_CASE("server window: after a restart counters begin anew") {
  std::vector<Scrape> scrapes{at(0, 100), at(1, 150), at(2, 20), at(3, 50)};
  for (auto& scrape : scrapes) scrape.process_start_s = scrape.at_us < 2 * kSecond ? 1000 : 2000;
  const ServerWindow out = window_of(scrapes, from_to(0, 3));
  CHECK(out.missing.empty());
  CHECK(out.count("requests") == 100);  // 50, then 20, then 30
  CHECK(out.find("ttft")->count == 100);
  CHECK(out.find("ttft")->mean == Approx(200));
}

TEST_CASE(
    "server window: several servers behind one address are told apart by their starts, or by their "
    "counters") {
  std::vector<Scrape> scrapes{at(0, 100), at(1, 20), at(2, 120), at(3, 30)};
  CHECK(window_of(scrapes, from_to(0, 3)).missing.find("Name each replica") != std::string::npos);
  scrapes = {at(0, 100), at(1, 110), at(2, 120)};
  for (auto& scrape : scrapes) scrape.process_start_s = scrape.at_us == kSecond ? 1000 : 2000;
  const ServerWindow out = window_of(scrapes, from_to(0, 2));
  CHECK(out.missing.find("several servers") != std::string::npos);
  CHECK(out.times.empty());
}

TEST_CASE("server window: replicas that are named are added up, their shares averaged") {
  std::vector<Scrape> scrapes;
  for (int s = 0; s <= 4; ++s) {
    scrapes.push_back(at(s, 10 * s, 2, "a"));
    scrapes.push_back(at(s, 5 * s, 4, "b"));
  }
  const ServerWindow out = window_of(scrapes, from_to(0, 4));
  CHECK(out.count("requests") == 60);
  CHECK(out.gauges[0].mean == Approx(6));
  CHECK(out.gauges[0].max == 6);
  CHECK(out.gauges[1].mean == Approx(0.3));
  CHECK(out.gauges[1].max == Approx(0.4));
  REQUIRE(out.course.size() == 4);  // the first scrape is the window's open edge
  CHECK(out.course[0].at_s == 1);
  CHECK(out.course[0].running == 6.0);
  CHECK(*out.course[0].kv_cache == Approx(0.3));
  CHECK_FALSE(out.course[0].waiting);
}

TEST_CASE("server window: the course of a long measurement has at most 300 levels") {
  std::vector<Scrape> scrapes;
  for (int s = 0; s <= 2000; ++s) scrapes.push_back(at(s, s));
  const auto course = window_of(scrapes, from_to(0, 2000)).course;
  CHECK(course.size() <= 300);
  CHECK(course.size() > 150);
}

TEST_CASE("server window: a target that took turns has the scrapes of its own turns") {
  std::vector<Scrape> scrapes;
  for (int s = 0; s <= 12; ++s) scrapes.push_back(at(s, s * s));
  const std::vector<TimeSpan> blocks{{0, 2 * kSecond}, {10 * kSecond, 12 * kSecond}};
  Window window = from_to(0, 12);
  window.blocks = blocks;
  CHECK(window_of(scrapes, window).count("requests") == 4 + 144 - 100);
}

TEST_CASE("server window: one scrape alone is no difference, and none is nothing") {
  CHECK(window_of({at(3, 1)}, from_to(0, 5)).missing == "they were read only once during the measurement");
  CHECK_FALSE(server_window({}, from_to(0, 5), {}));
}

TEST_CASE("server window: a series that appears later began at 0, and our own requests are counted") {
  Scrape before = at(0, 10), after = at(5, 30);
  before.counters = {{"requests", 10}};
  after.counters = {{"drafts", 7}, {"requests", 30}};
  RequestRecord inside, warm_up, failed;
  inside.status = warm_up.status = 200;
  inside.end_us = 2 * kSecond;
  warm_up.end_us = kSecond / 2;
  failed.status = 500;
  failed.end_us = 3 * kSecond;
  const auto out = server_window(std::vector{before, after}, from_to(0, 5), {&inside, &warm_up, &failed});
  REQUIRE(out);
  CHECK(out->count("drafts") == 7);
  CHECK(out->own_requests == 2);
}

TEST_CASE(
    "server window: scrapes that failed are counted, and alone they are the reason that there is nothing") {
  Scrape failed{.page = "p", .at_us = 2 * kSecond, .problem = "status 500"};
  const ServerWindow some = window_of({at(0, 0), failed, at(5, 100)}, from_to(0, 5));
  CHECK(some.failed == 1);
  CHECK(some.problem == "p: status 500");
  CHECK(some.missing.empty());
  CHECK(some.count("requests") == 100);
  CHECK(window_of({failed, failed}, from_to(0, 5)).missing == "p: status 500");
  CHECK(window_of({failed}, from_to(3, 5)).missing == "p: status 500");  // before it, and never read
  CHECK(window_of({failed, at(3, 0), at(5, 1)}, from_to(3, 5)).failed == 0);
}

TEST_CASE("server window: what is told at a request's end is counted from the end of the warm-up on") {
  std::vector<Scrape> scrapes;
  for (int s = 0; s <= 6; ++s) {
    scrapes.push_back(at(s, 10 * s));
    // The first twenty requests waited for a second each, the others not at all.
    const double waited = std::min(20, 10 * s);
    scrapes.back().times.push_back({"queue", {waited, 10.0 * s, {}}});
  }
  RequestRecord warm_up;
  warm_up.phase = Phase::warmup;
  warm_up.end_us = 2 * kSecond;
  const auto out = server_window(scrapes, from_to(0, 6), {&warm_up});
  REQUIRE(out);
  CHECK(out->find("queue")->count == 40);
  CHECK(out->find("queue")->mean == 0);
  CHECK(out->find("ttft")->count == 60);
}
