// Single lines of the table for runs that differ from the good one.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "example_parts.hpp"
#include "example_results.hpp"
#include "infermeter/report/table.hpp"
#include "report/tables/remarks.hpp"

using namespace infermeter;

namespace {

/// With unlimited line length, so that phrases are not broken.
std::string table_of(const RunResult& run) {
  TableOptions options;
  options.width = 400;
  return render_table(run, options);
}

bool says(const RunResult& run, std::string_view words) {
  return table_of(run).find(words) != std::string::npos;
}

RunResult with_slo(SloResult slo) {
  RunResult run = good_run();
  run.points[0].slo = std::move(slo);
  return run;
}

}  // namespace

TEST_CASE("table: an SLO that no answer tells of is named, and there is no share of nothing") {
  SloResult slo;
  slo.slos = {"itl.p95<50ms"};
  slo.each = {{"itl.p95<50ms", std::nullopt}};
  const auto alone = with_slo(slo);
  CHECK(says(alone, "SLOs         itl.p95<50ms not judged, no answer has the figure: use icl or tpot\n"));
  CHECK_FALSE(says(alone, "goodput"));
  slo.slos.emplace_back("ttft<1s");
  slo.each.emplace_back("ttft<1s", 0.5);
  slo.requests = 4;
  slo.met = 2;
  slo.attainment = 0.5;
  slo.high = 1;
  CHECK(says(with_slo(slo), "use icl or tpot   ttft<1s 50.0 %   all 50.0 % (0.0 … 100)   goodput 0 req/s"));
}

TEST_CASE("table: the header has a target's label instead of its name, and its region") {
  RunResult run = targets_run();
  run.targets[0].label = "Ours (new)";
  run.targets[0].region = "eu-west";
  TableOptions options;
  options.width = 400;
  const std::string several = render_header(run, options);
  CHECK(several.find("Ours (new)  ") != std::string::npos);
  CHECK(several.find("   eu-west") != std::string::npos);
  run.targets.resize(1);
  CHECK(render_header(run, options).starts_with("Ours (new)   http"));
}

TEST_CASE("report: a target that ended before its first request says why in each format") {
  RunResult run = good_run();
  run.complete = true;
  run.points.clear();
  run.targets[0].ended_early = "--max-cost is less than one request may cost";
  TableOptions options;
  options.width = 200;
  CHECK(render_table(run, options)
            .starts_with(" Nothing was measured: --max-cost is less than one request may cost\n"));
  CHECK(why_incomplete(run) == "ended early: --max-cost is less than one request may cost");
}

TEST_CASE("table: why a speed is left out stands under the figures, and an SLO on it is not judged") {
  SloResult slo;
  slo.slos = {"tpot<20ms"};
  slo.each = {{"tpot<20ms", std::nullopt}};
  slo.unjudged = {{"tpot<20ms", 60}};
  auto run = with_slo(slo);
  CHECK(says(run, "tpot<20ms not judged, the speed of the answers is not known"));
  CHECK_FALSE(says(run, "are left out"));
  const std::string why = "ITL, TPOT and TPS are left out: 60 of 60 answers came in one piece.";
  run.points[0].validity.checks.push_back({CheckKind::speed, CheckState::warning, why, "Look for a proxy."});
  CHECK(says(run, "\n " + why));
  CHECK(says(run, " ! speed: " + why + " Look for a proxy."));
  slo.each[0].second = 1;
  slo.requests = slo.met = 40;
  slo.attainment = slo.low = slo.high = 1;
  CHECK(says(with_slo(slo), "60 answers are not judged by tpot<20ms: the speed is not known"));
}

TEST_CASE("table: the header of a shard says which part it is, and its window is reckoned by its own slots") {
  RunResult run = good_run();
  TableOptions options;
  options.width = 400;
  CHECK(render_header(run, options).find("shard") == std::string::npos);
  run.shard = run.points[0].load.shard = {2, 4};
  CHECK(render_header(run, options).find("shard 2 of 4 (from 0)   concurrency 32") != std::string::npos);
  run.points[0].steady.reset();
  run.points[0].requests = 20;
  CHECK(says(run, "no steady window: it takes 24 requests at concurrency 8"));
}

TEST_CASE("table: answers without an SLO's figure are counted where they miss it") {
  SloResult slo;
  slo.slos = {"tpot<20ms"};
  slo.each = {{"tpot<20ms", 0.8}};
  slo.without = {{"tpot<20ms", 2}};
  slo.requests = 10;
  CHECK(says(with_slo(slo), "2 answers are without the figure of tpot<20ms, and miss it"));
}

TEST_CASE("table: a closed loop that sent requests again shows the times from the first try") {
  RunResult run = good_run();
  auto& point = run.points[0];
  for (const char* name : {"ttft_response", "e2e_response"})
    point.metrics.push_back(example::latency(name, 735, 120, 71, 900, {95, 200, 400, 800, 900}));
  CHECK_FALSE(says(run, "incl. delay"));
  point.retries = point.retried_requests = 3;
  CHECK(says(run, " TTFT incl. delay"));
  CHECK(says(run, " E2E incl. delay"));
  CHECK(says(run, "only times \"incl. delay\" include all tries"));
}

TEST_CASE("table: both bounds of a lopsided interval are written out") {
  RunResult run = good_run();
  CHECK(says(run, "\n ± 95 % interval   ≥"));
  const auto ttft = std::ranges::find(run.points[0].metrics, "ttft", &Metric::name);
  ttft->percentiles[3] = {99, 124.55, 104.68, 222.92};
  ttft->percentiles[2] = {95, 97.99, 79.95, 124.48};
  CHECK(says(run, "105…223"));
  CHECK(says(run, "±22.3"));
  CHECK(says(run, "\n ± or low…high 95 % interval"));
}

TEST_CASE("table: a wide interval says in one line how many requests narrow it") {
  RunResult run = good_run();
  CHECK_FALSE(says(run, "within 25 %"));
  const auto ttft = std::ranges::find(run.points[0].metrics, "ttft", &Metric::name);
  for (auto& one : ttft->percentiles) {
    if (one.percentile == 95) one.needed = "about 900 requests";
    if (one.percentile == 99) one.needed = "about 3,000 requests";
  }
  CHECK(says(run, "\n TTFT within 25 %: p95 about 900 requests, p99 about 3,000 requests\n"));
  ttft->percentiles[2].needed = "a run of at least 3 rounds (192 requests)";
  CHECK(says(run, "\n TTFT within 25 %: p95 a run of at least 3 rounds (192 requests)\n"));
}

TEST_CASE("table: a cost that was partly estimated says so") {
  RunResult run = good_run();
  run.points[0].cost = Cost{1, 2, "server, partly estimated"};
  CHECK(says(run, "as the server says (usage.cost), partly estimated"));
}

TEST_CASE("table: errors of targets differ by points, and refused tries count among the refusals") {
  RunResult run = targets_run();
  auto& second = run.points[1];
  Difference errors;
  errors.target = second.target;
  errors.metric = "error_rate";
  errors.absolute = true;
  errors.change = 0.05;
  run.differences.push_back(errors);
  CHECK(says(run, "+5 pts"));
  run.differences.back().change = -0.003;
  CHECK(says(run, "−0.3 pts"));
  CHECK_FALSE(says(run, "429, 503"));
  second.retries = 4;
  second.rate_limits = RateLimitFacts{400, {}, 0, {}};
  CHECK(says(run, "429, 503"));
}

TEST_CASE("table: streams that were all closed by us are something that was measured") {
  RunResult run = cancel_run();
  auto& point = run.points[0];
  point.ok = 0;
  point.metrics.clear();
  point.finish_reasons.clear();
  point.requests = 300;
  point.outcomes = {{Outcome::cancelled, 0, 300, ""}};
  CHECK_FALSE(says(run, "Nothing was measured"));
  CHECK(says(run, "✔ Trustworthy"));
  CHECK(says(run, "Throughput"));
  run.points.push_back(point);
  CHECK_FALSE(says(run, "othing was measured"));
  for (auto& p : run.points) p.slices.clear();
  CHECK(says(run, "othing was measured"));
}

TEST_CASE("table: an open loop shows what was offered beside what was served") {
  RunResult run = open_loop_run();
  run.points[0].offered = 80;
  run.points[0].served = 24.5;
  CHECK(says(run, "offered 80.0   served 24.5"));
}

TEST_CASE("table: a point with too few requests for a steady rate is marked in its row") {
  RunResult run = sweep_run();
  run.points[4].steady.reset();
  run.points[4].requests = 380;  // at concurrency 128
  CHECK(says(run, "no steady rate: 380 of 384 requests"));
}

TEST_CASE("table: the worst verdict of a sweep comes first") {
  TableOptions options;
  options.width = 400;
  const auto text = render_table(sweep_run(), options);
  REQUIRE(text.find("not to be trusted. client") != std::string::npos);
  CHECK(text.find("not to be trusted. client") < text.find("✔ Trustworthy: 4 of 5 points"));
}
