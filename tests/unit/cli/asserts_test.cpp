#include <fstream>

#include "../../temporary_file.hpp"
#include "catch.hpp"
#include "cli/saved.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

std::vector<std::string> texts(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& assertion : plan.asserts) out.push_back(assertion.text);
  return out;
}

Plan plan_with(const std::vector<std::string>& words) {
  std::vector<std::string> all{"run", "http://h"};
  all.insert(all.end(), words.begin(), words.end());
  return run_of(all).plan;
}

}  // namespace

TEST_CASE("asserts: repeated ones and those between commas add up, a scope's commas do not separate") {
  const auto plan = plan_with({"-c", "1,8", "--assert", "ttft.p95 < 1s,error_rate < 1%", "--assert",
                               "[run=1, concurrency=8] ok > 1, e2e.p50 < 9s"});
  CHECK(texts(plan) == std::vector<std::string>{"ttft.p95 < 1s", "error_rate < 1%",
                                                "[run=1, concurrency=8] ok > 1", "e2e.p50 < 9s"});
  CHECK(plan.asserts[2].scope.size() == 2);
  CHECK_FALSE(plan.assert_point);
  CHECK(plan_with({"--assert-point"}).assert_point);
}

TEST_CASE("asserts: report takes them too") {
  const auto report = invoked(report_request, {"report", "out", "--assert", "ok > 1", "--assert-point"});
  REQUIRE(report.asserts.thresholds.size() == 1);
  CHECK(report.asserts.thresholds[0].metric == "ok");
  CHECK(report.asserts.by_point);
}

TEST_CASE("asserts: a wrong one names the option and has a caret") {
  CHECK(error_of({"run", "http://h", "--assert", "ttftt.p95 < 1s"})
            .starts_with("--assert: 'ttftt' is not a metric; did you mean 'ttft'? | ttftt.p95 < 1s\n^^^^^"));
}

TEST_CASE("asserts: a scope that nothing in the run fits is refused before the first request") {
  CHECK(error_of({"run", "http://h", "-c", "1,8", "--assert", "[concurrency=9] ok > 1"}) ==
        "--assert: '[concurrency=9] ok > 1' can never be checked: nothing here has concurrency 9 | "
        "This run has concurrency 1, 8.");
  CHECK(error_of({"run", "http://h", "--assert", "[rate=2] ok > 1"}) ==
        "--assert: '[rate=2] ok > 1' can never be checked: nothing here has rate 2 | This run has no rate.");
  CHECK(error_of({"run", "a=http://h", "b=http://g", "--assert", "ok > 1 [target=c]"}) ==
        "--assert: 'ok > 1 [target=c]' can never be checked: nothing here has target c | "
        "This run has target a, b.");
  CHECK(error_of({"run", "a=http://h", "b=http://g", "--assert", "ok > 1 [target=b, concurrency=1]"}) ==
        "no error");
  CHECK(error_of({"run", "http://h", "--rate", "2,4", "--assert", "[rate=4.0] ok > 1"}) == "no error");
  CHECK(error_of({"run", "http://h", "--shape", "1k/128,8k", "--assert", "[shape=1k/128] ok > 1"}) ==
        "no error");
}

TEST_CASE("asserts: a file holds them as a list") {
  const TemporaryFile file(
      "assert = [\"ttft.p95 < 500ms\", \"[concurrency=1, run=1] error_rate < 1%\"]\n"
      "assert_point = true\n");
  const auto plan = plan_with({"--config", file.path()});
  CHECK(texts(plan) ==
        std::vector<std::string>{"ttft.p95 < 500ms", "[concurrency=1, run=1] error_rate < 1%"});
  CHECK(plan.assert_point);
}
