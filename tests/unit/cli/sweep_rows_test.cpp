#include "cli/sweep_rows.hpp"

#include "catch.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

constexpr Instant kStart{std::chrono::seconds(1000)};

/// A result with the points of the plan; `measured` of them have an answer each.
RunResult after(const Plan& plan, std::size_t measured) {
  RunResult run;
  run.targets.resize(1);
  for (std::uint32_t p = 0; p < plan.sweep.points.size(); ++p) {
    auto& point = run.points.emplace_back();
    point.point = p;
    point.load.concurrency = plan.sweep.points[p].concurrency;
    if (p >= measured) continue;
    point.requests = point.ok = 100;
    point.steady.emplace();
    point.steady->window_s = 10;
    point.steady->output = 1790;
    point.steady->request = 28;
  }
  return run;
}

}  // namespace

TEST_CASE("sweep rows: each point has its row as it ends, with the time left by those before it") {
  const Plan plan = plan_of("-c 1,8,32 -n 100");
  SweepRows rows(plan, after(plan, 0), kStart);
  CHECK(rows.take(after(plan, 1), kStart + 20s) ==
        std::vector<std::string>{
            "1/3  concurrency 1: 1,790 tok/s out, 28.0 req/s, 100 of 100 ok; about 40 s left"});
  CHECK(rows.take(after(plan, 1), kStart + 21s).empty());
  CHECK(rows.take(after(plan, 2), kStart + 30s).at(0).ends_with("; about 15 s left"));
  CHECK(rows.take(after(plan, 3), kStart + 45s).at(0).ends_with("100 of 100 ok"));
}

TEST_CASE("sweep rows: what is left of a sweep by duration is what the plan says") {
  const Plan plan = plan_of("-c 1,8,32 -d 30s --warmup 5s --cooldown 10s");
  SweepRows rows(plan, after(plan, 0), kStart);
  CHECK(rows.take(after(plan, 1), kStart + 99s).at(0).ends_with("; about 90 s left"));
}

TEST_CASE("sweep rows: a single load has none, and neither has what --resume kept") {
  const Plan one = plan_of("-c 8 -n 100");
  CHECK(SweepRows(one, after(one, 0), kStart).take(after(one, 1), kStart + 9s).empty());
  const Plan plan = plan_of("-c 1,8 -n 100");
  SweepRows rows(plan, after(plan, 1), kStart);
  const auto lines = rows.take(after(plan, 2), kStart + 9s);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("2/2  concurrency 8: "));
}
