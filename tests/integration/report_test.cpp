// `infermeter report` on various folders (of a run that was killed, of a verdict alone), and `infermeter
// compare` on several of them.
#include "catch.hpp"
#include "infermeter/report/result_json.hpp"
#include "run_folder.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

const std::vector<std::string> kFormats{"table", "json",   "csv",  "markdown",
                                        "junit", "github", "vllm", "html"};

/// A run of two load points that is killed in the second one, with requests in flight: that point would take
/// 9 s.
void run_and_kill(const std::string& folder) {
  constexpr auto kFirstPoint = 2 + 80, kSeveral = 6;
  Process run({"run", "--sim", "fixed:ttft=20ms,itl=2ms", "-c", "2", "-n", "40x", "--shape", "32/8,32/100",
               "-o", folder});
  REQUIRE(eventually([&] { return count_lines(folder + "/requests.jsonl") >= kFirstPoint + kSeveral; }));
  run.signal(SIGKILL);
  REQUIRE(run.wait().exit_code == 128 + SIGKILL);
}

Finished report(const std::string& folder, const std::string& format) {
  return infermeter_once({"report", folder, "--format", format});
}

void run_into(const std::string& folder, const std::string& preset) {
  const int code = infermeter_once({"run", "--sim", preset, "-c", "20", "-n", "40", "--output-tokens", "2",
                                    "-q", "-o", folder})
                       .exit_code;
  REQUIRE((code == 0 || code == 4));  // 4: this machine was too busy, which is shown
}

Verdict failed_verdict() {
  Verdict verdict;
  verdict.decision = Decision::fail;
  verdict.exit_code = 1;
  verdict.judgements = {{.kind = JudgementKind::change, .decision = Decision::fail, .text = "ttft.p50"}};
  return verdict;
}

}  // namespace

TEST_CASE("report: every format renders a run that was killed") {
  TemporaryFolder folder;
  run_and_kill(folder / "out");
  for (const auto& format : kFormats) {
    INFO(format);
    const Finished shown = report(folder / "out", format);
    CHECK(shown.exit_code == 0);
    CHECK(shown.err == "");
    CHECK(!shown.out.empty());
  }
  CHECK(report(folder / "out", "table").out.find("killed") != std::string::npos);
  CHECK(report(folder / "out", "markdown").out.find("The run was killed") != std::string::npos);
  CHECK(report(folder / "out", "junit").out.find("<error type=\"incomplete\"") != std::string::npos);
  CHECK(report(folder / "out", "github").out.find("::warning title=infermeter%3A not complete::") !=
        std::string::npos);
}

TEST_CASE(
    "report: a line a request holds all that ended before the kill, and vLLM's file the measured ones") {
  TemporaryFolder folder;
  run_and_kill(folder / "out");
  const Finished csv = infermeter_once({"report", folder / "out", "--format", "csv", "--per-request"});
  const std::string records = slurp(folder / "out/requests.jsonl");
  CHECK(std::ranges::count(csv.out, '\n') == std::ranges::count(records, '\n') + 1);
  const std::string vllm = report(folder / "out", "vllm").out;
  const json first = json::parse(vllm.substr(0, vllm.find('\n')));
  CHECK(first["completed"] == 80);
  CHECK(first["ttfts"].size() == 80);
}

TEST_CASE("report: a file is written whole and nothing goes to stdout") {
  TemporaryFolder folder;
  run_and_kill(folder / "out");
  const Finished shown =
      infermeter_once({"report", folder / "out", "--format", "junit", "-o", folder / "r.xml"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.out == "");
  CHECK(slurp(folder / "r.xml") == report(folder / "out", "junit").out);
}

TEST_CASE("report: a folder with a verdict alone is rendered, and says what it lacks") {
  TemporaryFolder folder;
  std::ofstream(folder / "verdict.json") << verdict_to_json(failed_verdict());
  CHECK(report(folder.path(), "table").out == " FAIL  ttft.p50\n Exit 1: failed.\n");
  CHECK(report(folder.path(), "json").out == verdict_to_json(failed_verdict()));
  for (const std::string format : {"markdown", "junit", "github", "html"}) {
    INFO(format);
    CHECK(report(folder.path(), format).exit_code == 0);
  }
  const Finished refused = report(folder.path(), "vllm");
  CHECK(refused.exit_code == 3);
  CHECK(
      refused.err.starts_with("infermeter: a verdict alone has no vllm: that is made of a run's records\n"));
}

TEST_CASE("compare: two results stand side by side with exit 0, also where one is much slower") {
  TemporaryFolder folder;
  run_into(folder / "before", "fixed:ttft=20ms,itl=20ms");
  run_into(folder / "after", "fixed:ttft=200ms,itl=20ms");
  const Finished shown = infermeter_once({"compare", folder / "before", folder / "after"});
  INFO(shown.out << shown.err);
  CHECK(shown.exit_code == 0);
  const auto row = shown.out.find(" TTFT p50 ");
  REQUIRE(row != std::string::npos);
  CHECK(shown.out.substr(row, shown.out.find('\n', row) - row).find(" +") != std::string::npos);
}

TEST_CASE("compare: one result alone is exit 2, and one that is not there is exit 3") {
  TemporaryFolder folder;
  run_into(folder / "here", "fixed:ttft=20ms,itl=20ms");
  const Finished alone = infermeter_once({"compare", folder / "here"});
  CHECK(alone.exit_code == 2);
  CHECK(alone.err.starts_with("infermeter: compare: only one result, "));
  const Finished missing = infermeter_once({"compare", folder / "here", folder / "nowhere"});
  CHECK(missing.exit_code == 3);
  CHECK(missing.err.starts_with("infermeter: cannot read "));
}
