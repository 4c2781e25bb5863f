#include "engine/session/counters.hpp"

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("progress: the live median is within 4 percent") {
  LiveHistogram histogram;
  for (int ms = 1; ms <= 99; ++ms) histogram.add(std::chrono::milliseconds(ms));
  std::array<std::uint64_t, 512> sums{};
  histogram.add_to(sums);
  CHECK(live_median_ms(sums) == Approx(50).epsilon(0.04));
}

TEST_CASE(
    "progress: the meter's rates are of the measured phase and its tokens of usage where events hold "
    "several") {
  std::deque<WorkerCounters> workers(2);
  const Load load;
  const Instant t0{std::chrono::seconds(50)};
  ProgressMeter meter(workers, load, t0);
  workers[0].events = 100;
  workers[0].stage = Stage::measuring;
  workers[1].stage = Stage::measuring;
  meter.read(t0 + 1s);
  workers[0].events = 200;
  workers[0].output_tokens = 400;
  workers[0].counted_events = 200;
  workers[0].measured_done = 5;
  const ProgressFigures figures = meter.read(t0 + 3s);
  CHECK(figures.elapsed == 2s);
  CHECK(figures.tokens_per_s == Approx(100));
  CHECK(figures.requests_per_s == Approx(2.5));
}

namespace {

RequestRecord ended(Outcome outcome, int status) {
  RequestRecord record;
  record.outcome = outcome;
  record.status = status;
  return record;
}

}  // namespace

TEST_CASE("run budget: rate limits are no errors and the rate is looked at after enough requests") {
  const Instant t0{};
  RunControl control;
  RunBudget budget(control, {.max_error_rate = 0.1});
  for (int i = 0; i < 8; ++i) budget.count(ended(Outcome::ok, 200), t0);
  for (int i = 0; i < 20; ++i) budget.count(ended(Outcome::http_error, 429), t0);
  budget.count(ended(Outcome::http_error, 500), t0);
  CHECK_FALSE(control.stop);
  budget.count(ended(Outcome::truncated, 200), t0);
  CHECK(control.stop);
  CHECK(budget.rate_exceeded());
}

TEST_CASE("run budget: a server that only limits the rate is not given up") {
  RunControl control;
  RunBudget budget(control, {});
  for (int i = 0; i < 50; ++i) budget.count(ended(Outcome::http_error, 429), {});
  CHECK_FALSE(control.stop);
}

TEST_CASE("run budget: a rate over its limit is seen at the first look though the errors came before") {
  const Instant t0{};
  RunControl control;
  RunBudget budget(control, {.max_error_rate = 0.1});
  for (int i = 0; i < 9; ++i) budget.count(ended(Outcome::truncated, 200), t0);
  budget.count(ended(Outcome::ok, 200), t0);
  CHECK(control.stop);
}
