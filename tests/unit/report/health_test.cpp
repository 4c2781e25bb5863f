// Failed requests colour the headline of every format.
#include "catch.hpp"
#include "example_charts.hpp"
#include "example_results.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/table.hpp"

using namespace infermeter;

namespace {

/// A run in which 12 of 100 requests failed, or as many as given.
RunResult failed_run(std::uint64_t failed = 12, HealthState state = HealthState::degraded) {
  RunResult run = good_run();
  run.health = {{.requests = 100,
                 .failed = failed,
                 .state = state,
                 .failures = {{Outcome::http_error, 429, failed - 1, ""}, {Outcome::connect, 0, 1, ""}}}};
  return run;
}

RunResult half_failed_run() { return failed_run(80, HealthState::failed); }

std::string table_of(const RunResult& run, bool color = false) {
  return render_table(run, {.width = 120, .color = color});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("health: failed requests stand above the verdict on the measurement, which stays as it is") {
  const std::string table = table_of(failed_run());
  const auto failed = table.find(" ! 12 of 100 failed; latencies are of the others\n");
  REQUIRE(failed != std::string::npos);
  CHECK(table.find(" ✔ Trustworthy") > failed);
  CHECK(has(table_of(half_failed_run()), " ✘ 80 of 100 failed; latencies are of the others\n"));
}

TEST_CASE("health: few failed requests are an amber word beside the verdict") {
  const std::string table = table_of(failed_run(2, HealthState::good), true);
  CHECK(has(table, "\x1b[33m2 of 100 failed"));
  CHECK_FALSE(has(table, "latencies are of the others"));
  CHECK_FALSE(has(table_of(good_run()), " failed;"));
}

TEST_CASE("health: in a sweep the line names load and target, the worst first") {
  RunResult run = sweep_run();
  const std::uint32_t first = run.points.front().point, last = run.points.back().point;
  run.health = {{.point = first, .requests = 10, .failed = 1, .state = HealthState::degraded, .failures = {}},
                {.point = last, .requests = 9, .failed = 9, .state = HealthState::failed, .failures = {}}};
  const std::string table = table_of(run);
  const auto worst = table.find(" ✘ concurrency 128: 9 of 9 failed\n");
  REQUIRE(worst != std::string::npos);
  CHECK(table.find(" ! concurrency 1: 1 of 10 failed; latencies are of the others") > worst);
}

TEST_CASE("health: Markdown says it in the title and first in the list, with the classes") {
  const std::string text = result_to_markdown(failed_run());
  CHECK(text.starts_with(
      "### infermeter: requests failed\n\n- **12 of 100 failed; latencies are of the others** "
      "(11 × HTTP 429, 1 × cannot connect)\n"));
  CHECK(result_to_markdown(half_failed_run())
            .starts_with("### infermeter: half or more of the requests failed\n"));
  RunResult passed = failed_run();
  passed.verdict = passed_verdict();
  CHECK(result_to_markdown(passed).starts_with("### infermeter: pass, but requests failed\n"));
}

TEST_CASE("health: a title says why nothing passed, and not that requests failed beside it") {
  RunResult untrusted = failed_run();
  untrusted.verdict = untrusted_verdict();
  CHECK(result_to_markdown(untrusted).starts_with("### infermeter: not to be trusted\n"));
}

TEST_CASE("health: JUnit has an error, GitHub a warning or an error") {
  const std::string junit = result_to_junit(failed_run());
  CHECK(has(junit,
            "<testcase name=\"answered\" classname=\"infermeter.run\">\n"
            "      <error type=\"failed_requests\" message=\"12 of 100 failed; latencies are of the others "
            "(11 × HTTP 429, 1 × cannot connect).\"/>"));
  CHECK(has(result_to_junit(good_run()), "<testcase name=\"answered\" classname=\"infermeter.run\"/>"));
  CHECK(has(
      result_to_github(failed_run()),
      "::warning title=infermeter%3A requests failed::12 of 100 failed; latencies are of the others.%0A"));
  CHECK(has(result_to_github(half_failed_run()), "::error title=infermeter%3A requests failed::80 of 100"));
  CHECK_FALSE(has(result_to_github(good_run()), "requests failed"));
}

TEST_CASE("health: the frame of the page is amber, and red where half of the requests failed") {
  const auto state = [](const RunResult& run) {
    const std::string page = render_html(run, example_charts(run));
    const std::string before = "<section id=\"verdict\" class=\"";
    const auto at = page.find(before) + before.size();
    return page.substr(at, page.find('"', at) - at);
  };
  CHECK(state(good_run()) == "is_good");
  CHECK(state(failed_run()) == "is_warn");
  CHECK(state(half_failed_run()) == "is_bad");
}

TEST_CASE("verdict: a run that was interrupted or failed is not called passed") {
  RunResult run = good_run();
  run.verdict = passed_verdict();
  run.verdict->exit_code = 130;
  CHECK(has(table_of(run), " Exit 130: interrupted, whatever was judged."));
  CHECK(result_to_markdown(run).starts_with("### infermeter: interrupted\n"));
  CHECK(has(result_to_github(run), "::warning title=infermeter%3A interrupted::"));
  run.verdict->exit_code = 3;
  CHECK(has(table_of(run), " Exit 3: the run failed, whatever was judged."));
  CHECK(has(result_to_github(run), "::error title=infermeter%3A the run failed::"));
  CHECK(has(render_html(run, example_charts(run)), "✘ The run failed"));
}
