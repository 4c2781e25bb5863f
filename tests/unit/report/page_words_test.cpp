#include "infermeter/report/table.hpp"

#include <algorithm>

#include "catch.hpp"
#include "example_results.hpp"

using namespace infermeter;

namespace {

/// Vendors one and two, whose median TTFT differs by this much.
RunResult differing(Difference difference) {
  RunResult run = targets_run();
  difference.target = 1;
  difference.metric = "ttft";
  difference.statistic = "p50";
  run.differences = {difference};
  return run;
}

bool table_says(const RunResult& run, const std::string& words) {
  TableOptions options;
  options.width = 240;
  return render_table(run, options).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("targets: an interval with a long and a short side is not shown as ±") {
  CHECK(table_says(differing({.blocks = 12, .change = -0.02, .low = -0.03, .high = -0.01}), "0.98× ±0.01"));
  CHECK(table_says(differing({.blocks = 12, .change = -0.02, .low = -0.05, .high = -0.011}),
                   "0.98× (0.95 … 0.99)"));
  CHECK(table_says(differing({.blocks = 12, .change = 14, .low = 11.2, .high = 23}), "15× (12 … 24)"));
}

TEST_CASE("targets: a change that is none by its ± is shown by its bounds") {
  CHECK(table_says(differing({.blocks = 12, .change = -0.011, .low = -0.024, .high = -0.0014}),
                   "0.99× (0.976 … 0.999)"));
}

TEST_CASE("targets: what no difference means stands under the table") {
  CHECK(
      table_says(differing({.blocks = 12, .change = 0.002, .low = -0.01, .high = 0.02, .within_noise = true}),
                 "ratio with its 95 % interval, by 12 blocks of the run; \"no difference\": by"));
}

TEST_CASE("targets: under six blocks no change is shown, though others have theirs") {
  RunResult run = differing({.blocks = 4});
  CHECK(table_says(
      run, "vs vendor-one: no change is known: under 6 blocks of the run have enough answers of both"));
  run.differences.front().needed = "about 60 requests a target";
  CHECK(table_says(run, "60 requests a target"));
  run.differences.push_back({0, 2, "ttft", "p50", 12, 0.2, 0.15, 0.25, false});
  CHECK(table_says(run, "1.20× ±0.05"));
  CHECK(table_says(run, "too few blocks"));
  CHECK(table_says(run, "1 % (p95: 3 %); \"too few blocks\": under 6"));
}

TEST_CASE("targets: ranked ones stand in their order, with marks for those that cannot be distinguished") {
  RunResult run = targets_run();
  run.sort = "output_per_gpu";
  run.ranking = {
      {.point = 0, .target = 2}, {.point = 0, .target = 0}, {.point = 0, .target = 1, .tied = true}};
  TableOptions options;
  options.width = 80;
  const std::string page = render_table(run, options);
  CHECK(page.find(" 1    vendor-three") < page.find(" 2    vendor-one"));
  CHECK(page.find(" 2    vendor-one") < page.find(" 3 =  vendor-two"));
  CHECK(page.find("#: by Output per GPU, better ones first; =: cannot be distinguished from") !=
        std::string::npos);
  CHECK(page.find("  per GPU") != std::string::npos);  // which 80 columns do not show otherwise
}

TEST_CASE("targets: against another target than the first its name heads the changes") {
  RunResult run = differing({.blocks = 12, .change = -0.02, .low = -0.03, .high = -0.01});
  run.differences.front().target = 0;
  run.against = 1;
  CHECK(table_says(run, " vs vendor-two"));
  CHECK(table_says(run, "vs vendor-two: ratio with its 95 % interval"));
}

TEST_CASE("targets: one that was ended by its limits is named, and nobody is said to have killed the run") {
  RunResult run = targets_run();
  run.points[1].validity.partial = true;
  run.ended_early = run.targets[1].ended_early = "the server limits the rate (--on-rate-limit stop)";
  CHECK(table_says(run, " ! Partial: ended early (vendor-two). Finished requests are included."));
  CHECK(table_says(run, " ! vendor-two ended early: the server limits the rate (--on-rate-limit stop)"));
  CHECK_FALSE(table_says(run, " ! Ended early:"));
  run.interrupted = true;
  CHECK(table_says(run, " ! Partial: the run was interrupted (vendor-two)."));
  run.complete = run.interrupted = false;
  run.ended_early.clear();
  CHECK(table_says(run, " ! Partial: the run was killed or not saved (vendor-two)."));
}

TEST_CASE("targets: a run that lost records says how many, and was not killed") {
  RunResult run = targets_run();
  run.points[1].validity.partial = true;
  run.complete = false;
  run.lost_records = 1200;
  CHECK(table_says(run, " ! 1,200 records could not be written to requests.jsonl"));
  CHECK(table_says(run, " ! Partial: records are missing (vendor-two)."));
  CHECK_FALSE(table_says(run, "killed"));
}

TEST_CASE("targets: a run of one target that ended early was not killed") {
  RunResult run = good_run();
  run.points[0].validity.partial = true;
  run.ended_early = run.targets[0].ended_early = "34 of 100 requests failed, more than --max-error-rate 10 %";
  CHECK(table_says(run, " ! Partial: ended early. Finished requests are included"));
  CHECK(table_says(run, " ! Ended early: 34 of 100 requests failed"));
  CHECK_FALSE(table_says(run, "killed"));
}

TEST_CASE("requests: none of a ramp that was kept apart is said to be among the measured ones") {
  RunResult run = good_run();
  run.points[0].warmup_requests = 0;
  CHECK(table_says(run, "no warm-up: the first requests are among these"));
  run.points[0].ramp_requests = 40;
  CHECK_FALSE(table_says(run, "no warm-up:"));
  CHECK(table_says(run, "40 while the load changed, kept apart"));
}
