#include "infermeter/report/result_json.hpp"

#include "catch.hpp"
#include "example_results.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/table.hpp"

using namespace infermeter;

namespace {

std::string refusal(const std::string& text) {
  try {
    verdict_from_json(text);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "taken";
}

bool shows(const Verdict& verdict, const std::string& words) {
  return render_verdict(verdict, {}).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("verdict: what was written is read back the same") {
  for (const auto make : {assert_verdict, gate_verdict, untrusted_verdict, passed_verdict}) {
    const std::string text = verdict_to_json(make());
    CHECK(verdict_to_json(verdict_from_json(text)) == text);
  }
}

TEST_CASE("verdict: a result keeps it") {
  const RunResult read = result_from_json(result_to_json(pairs_run()));
  REQUIRE(read.verdict);
  CHECK(verdict_to_json(*read.verdict) == verdict_to_json(gate_verdict()));
  CHECK(read.points.back().load.run == 6);
}

TEST_CASE("verdict: a file that is none is refused with what is wrong") {
  CHECK(refusal("{") == "not JSON: syntax error at byte 2");
  CHECK(refusal("[]") == "not a result of infermeter: the file is not an object");
  CHECK(refusal(R"({"schema_version": 1})") == "not a result of infermeter: decision is not there");
  CHECK(refusal(R"({"schema_version": 1, "decision": "maybe"})") ==
        "not a result of infermeter: decision is not one of pass, fail, undecided");
  CHECK(refusal(R"({"schema_version": 2, "decision": "pass"})") ==
        "schema_version is 2, this infermeter reads 1");
}

TEST_CASE("verdict: an open question that counts as passed says so") {
  Verdict verdict;
  verdict.decision = Decision::undecided;
  verdict.exit_code = 5;
  CHECK(render_verdict(verdict, {}) == " Exit 5: undecided.\n");
  verdict.exit_code = 0;
  CHECK(render_verdict(verdict, {}) == " Exit 0: undecided, taken as passed.\n");
  verdict.exit_code = 1;
  CHECK(render_verdict(verdict, {}) == " Exit 1: undecided, taken as failed.\n");
}

TEST_CASE("verdict: figures are written in the unit that they have") {
  const auto line = [](const std::string& unit, double value, bool relative = false) {
    Verdict verdict;
    verdict.judgements = {{.kind = JudgementKind::guard, .text = "x", .unit = unit, .relative = relative}};
    verdict.judgements[0].value = value;
    const std::string page = render_verdict(verdict, {});
    return page.substr(0, page.find('\n'));
  };
  CHECK(line("ms", 121.05) == " pass  x  121 ms");
  CHECK(line("ms", 12'345) == " pass  x  12.3 s");
  CHECK(line("share", 0.0045) == " pass  x  0.450 %");
  CHECK(line("$", 0.6) == " pass  x  $0.600");
  CHECK(line("count", 1234) == " pass  x  1,234");
  CHECK(line("ms", 0.0004, true) == " pass  x  0.0 %");
  CHECK(line("ms", -0.25, true) == " pass  x  −25.0 %");
  CHECK(line("ms", 2.5, true) == " pass  x  +250 %");
}

TEST_CASE("verdict: the page of a run ends with its verdict") {
  const std::string page = render_table(asserted_run(), {});
  CHECK(page.ends_with(render_verdict(assert_verdict(), {})));
}

TEST_CASE("verdict: what would settle an open question stands beneath it") {
  CHECK(shows(assert_verdict(), "To settle it: about 2,000 requests."));
}
