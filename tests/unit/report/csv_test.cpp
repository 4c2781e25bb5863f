#include "infermeter/report/formats.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "example_results.hpp"

using namespace infermeter;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  lines.pop_back();
  return lines;
}

auto commas(const std::string& line) { return std::count(line.begin(), line.end(), ','); }

}  // namespace

TEST_CASE("csv: a line a point under one header line") {
  const auto lines = lines_of(result_to_csv(sweep_run()));
  REQUIRE(lines.size() == 6);
  CHECK(
      lines[0].starts_with("run_id,start_utc,tool_version,target,url,model,point,slice_by,slice,scenario,"));
  CHECK(lines[0].find(",ttft_ms_p99.9,ttft_ms_max,") != std::string::npos);
  CHECK(lines[0].find(",tps_p50,tps_p10,tps_p5,tps_p1,tps_max,") != std::string::npos);
  CHECK(lines[2].find(",1,,,,closed,8,,,,,1,1,512,128,240,240,32,") != std::string::npos);
  CHECK(commas(lines[0]) == commas(lines[1]));
}

TEST_CASE("csv: a slice has a line of its own beneath its point's") {
  const auto lines = lines_of(result_to_csv(classes_run()));
  REQUIRE(lines.size() == 5);
  CHECK(lines[1].find(",0,,,,closed,32,") != std::string::npos);
  CHECK(lines[3].find(
            R"(,0,class,summaries,,closed,32,,,,,1,1,"lognormal:4k,0.5","uniform:100,400",208,205,,)") !=
        std::string::npos);
  CHECK(commas(lines[2]) == commas(lines[0]));
}

TEST_CASE("csv: the columns do not depend on what was measured") {
  CHECK(lines_of(result_to_csv(hopeless_run()))[0] == lines_of(result_to_csv(open_loop_run()))[0]);
}

TEST_CASE("csv: a value with a comma or a quote is quoted") {
  RunResult run = good_run();
  run.targets[0].model = "a,\"b\"";
  CHECK(result_to_csv(run).find(R"(,"a,""b""",)") != std::string::npos);
}

TEST_CASE("tsv: the cells of csv, with tabs between them and none within") {
  RunResult result = good_run();
  result.targets.front().name = "a, b\tc\nd";
  const RunReport report{result, {}, {}, {}};
  const std::string tsv = format_named("tsv").run(report);
  CHECK(tsv.starts_with("run_id\tstart_utc\ttool_version\ttarget\t"));
  CHECK(tsv.find("\ta, b c d\t") != std::string::npos);
  const auto lines = lines_of(tsv);
  REQUIRE(lines.size() == 2);
  CHECK(std::ranges::count(lines[0], '\t') == commas(lines_of(result_to_csv(result)).front()));
  CHECK(std::ranges::count(lines[1], '\t') == std::ranges::count(lines[0], '\t'));
}
