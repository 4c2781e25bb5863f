// Exit codes of assertions, from the binary. A run that this machine read too late ends with 4, which takes
// precedence over 1 and 5; the decision that the run saves is the same.
#include <set>

#include "catch.hpp"
#include "run_folder.hpp"

using namespace infermeter;

namespace {

/// Non-streamed answers: only the client's delay can make such a run untrustworthy.
std::vector<std::string> whole_answers(const std::string& out) {
  return {"run",
          "--sim",
          "fixed:ttft=100ms,itl=1ms",
          "--no-stream",
          "--output-tokens",
          "8",
          "-c",
          "40",
          "-n",
          "80",
          "-q",
          "-o",
          out};
}

void check_run(const std::vector<std::string>& asserts, const std::string& decision, int code) {
  TemporaryFolder folder;
  auto words = whole_answers(folder / "out");
  words.insert(words.end(), asserts.begin(), asserts.end());
  const Finished run = infermeter_once(words);
  INFO(run.err);
  const auto result = result_in(folder / "out");
  CHECK(result["verdict"]["decision"] == decision);
  CHECK(run.exit_code == code_if_trusted(result, code));
}

}  // namespace

TEST_CASE("asserts: run ends with 0 where they hold, 1 where one is broken and 5 where one cannot be told") {
  check_run({"--assert", "error_rate < 1%, ok >= 80"}, "pass", 0);
  check_run({"--assert", "ok > 1k", "--assert", "e2e.p99 < 100s"}, "fail", 1);
  check_run({"--assert", "e2e.p99 < 100s"}, "undecided", 5);  // of 80 requests p99 has no upper bound
  check_run({"--assert", "e2e.p99 < 100s", "--assert-point"}, "pass", 0);
}

TEST_CASE("asserts: report judges a saved run by the same rule") {
  TemporaryFolder folder;
  auto words = whole_answers(folder / "out");
  words.insert(words.end(), {"--assert", "e2e.p99 < 100s"});
  const int of_run = infermeter_once(words).exit_code;
  const auto result = result_in(folder / "out");
  const auto report = [&](const std::vector<std::string>& asserts) {
    std::vector<std::string> all{"report", folder / "out", "--format", "csv"};
    all.insert(all.end(), asserts.begin(), asserts.end());
    return infermeter_once(all).exit_code;
  };
  CHECK(of_run == code_if_trusted(result, 5));
  CHECK(report({}) == 0);
  CHECK(report({"--assert", "e2e.p99 < 100s"}) == code_if_trusted(result, 5));
  CHECK(report({"--assert", "ok > 1k"}) == code_if_trusted(result, 1));
  CHECK(report({"--assert", "wishes < 1"}) == 2);
}

TEST_CASE("asserts: a server that answers nothing is exit 3, whatever was demanded of it") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "500", "-c", "2", "-n", "4",
                       "--no-preflight", "-q", "-o", folder / "out", "--assert", "error_rate < 1%"});
  CHECK(run.exit_code == 3);
}

TEST_CASE("asserts: a sweep beyond the server's seats shows no cliff and fails no limit on its throughput") {
  TemporaryFolder folder;
  infermeter_once({"run", "--sim", "h100-8b:max-seqs=16", "-c", "8,16,32,48", "-n", "80", "--output-tokens",
                   "64", "--input-tokens", "128", "-q", "-o", folder / "out", "--assert",
                   "output_throughput >= 100"});
  const auto result = result_in(folder / "out");
  REQUIRE(result["points"].size() == 4);
  const auto output = [&](std::size_t point) {
    return result["points"][point]["throughput"]["whole"]["output_throughput"].get<double>();
  };
  for (const std::size_t beyond : {2U, 3U}) {
    CHECK(output(beyond) > 0.75 * output(1));
    CHECK(result["points"][beyond]["throughput"]["steady"].is_null());
  }
  for (const auto& knee : result["knees"]) CHECK_FALSE(knee["found"].get<bool>());
  std::set<std::string> open;
  for (const auto& judgement : result["verdict"]["judgements"]) {
    CHECK(judgement["decision"] != "fail");
    if (judgement["decision"] == "undecided") open.insert(judgement["where"]);
  }
  CHECK(open.contains("concurrency 32"));
  CHECK(open.contains("concurrency 48"));
}
