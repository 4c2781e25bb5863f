#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_charts.hpp"
#include "example_results.hpp"
#include "infermeter/report/formats.hpp"
#include "report/media/media.hpp"
#include "report/page/html_parts.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

using Json = nlohmann::json;

std::string page_of(const RunResult& run) { return render_html(run, example_charts(run)); }

/// The page without the library, which contains words of its own.
std::string without_library(std::string page) {
  const std::string library = chart_library().text();
  const auto at = page.find(library);
  REQUIRE(at != std::string::npos);
  return page.erase(at, library.size());
}

const std::vector<RunResult (*)()>& all_runs() {
  static const std::vector<RunResult (*)()> kRuns{
      good_run,          open_loop_run,     failing_run,    untrustworthy_run, hopeless_run, events_run,
      short_run,         sweep_run,         rate_sweep_run, shape_sweep_run,   context_run,  targets_run,
      short_targets_run, targets_sweep_run, classes_run,    conversations_run, cancel_run,   embeddings_run,
      whole_answers_run, not_streamed_run,  starting_run};
  return kRuns;
}

}  // namespace

TEST_CASE("html: verdict and findings come before figures, figures before charts") {
  const std::string page = page_of(good_run());
  const auto verdict = page.find("<section id=\"verdict\""), figures = page.find("<section id=\"figures\"");
  CHECK(page.find("finding") > verdict);
  CHECK(page.find("finding") < figures);
  CHECK(figures < page.find("<section id=\"charts\""));
}

TEST_CASE("html: a verdict alone has a page without figures and charts") {
  const std::string page = without_library(verdict_to_html(gate_verdict()));
  CHECK(has(page, "<section id=\"verdict\" class=\"is_bad\">"));
  CHECK(has(page, "✘ Fail"));
  CHECK(has(page, "Each pair"));
  CHECK_FALSE(has(page, "<h2>Figures</h2>"));
  CHECK_FALSE(has(page, "{{"));
  CHECK(has(page, "\"points\":[]"));
}

TEST_CASE("html: text of a server is text, not markup") {
  RunResult run = failing_run();
  const std::string attack = "</script><script>alert(1)</script><img src=x onerror='a'>\"";
  run.targets[0].model = attack;
  run.targets[0].url = "http://h/" + attack;
  run.targets[0].name = attack;
  run.targets[0].notes = {attack};
  run.command_line = attack;
  run.points[0].findings = {{"x", attack}};
  for (auto& outcome : run.points[0].outcomes) outcome.example = attack;
  const std::string page = without_library(page_of(run));
  CHECK_FALSE(has(page, "<script>alert"));
  CHECK_FALSE(has(page, "<img"));
  CHECK(has(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
  CHECK(times(page, "</script>") == 3);
}

TEST_CASE("html: nothing in the data of a page can end its element") {
  RunResult run = targets_run();
  run.targets[1].name = "</script><!-- & \xff \x1b[31m";
  const std::string data = chart_data(run, example_charts(run));
  CHECK_FALSE(has(data, "<"));
  CHECK_FALSE(has(data, ">"));
  CHECK_FALSE(has(data, "&"));
  CHECK(Json::parse(data)["targets"][1] == "</script><!-- & ?  [31m");
}

TEST_CASE("html: the page asks for nothing outside itself") {
  const std::string page = without_library(page_of(good_run()));
  CHECK(has(page, "default-src 'none'"));
  for (const char* word : {" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<iframe", "<object"}) {
    INFO(word);
    CHECK_FALSE(has(page, word));
  }
  CHECK(times(page, "href=") == 1);
  CHECK(has(page, "href=\"data:,\""));
}

TEST_CASE("html: only the page's own scripts and style may run, by hash") {
  const std::string page = page_of(good_run());
  CHECK(has(page, "style-src '" + std::string(page_style().hash) + "'"));
  CHECK(has(page, "script-src '" + std::string(chart_library().hash) + "' '" +
                      std::string(page_script().hash) + "'"));
  CHECK_FALSE(has(page, "unsafe-inline"));
  CHECK_FALSE(has(without_library(page), " style=\""));
  CHECK_FALSE(has(without_library(page), "onclick"));
}

TEST_CASE("html: hashes are SHA-256 in base64") {
  for (const auto& asset : {page_style(), page_script(), chart_library()}) {
    CHECK(asset.hash.size() == 7 + 44);
    CHECK(asset.hash.starts_with("sha256-"));
    CHECK(asset.hash.ends_with("="));
  }
}

TEST_CASE("html: the license of the library stays in the page") {
  const std::string library = chart_library().text();
  CHECK(has(library.substr(0, 400), "Chart.js v"));
  CHECK(has(library.substr(0, 400), "MIT License"));
  CHECK_FALSE(has(library, "sourceMappingURL"));
}

TEST_CASE("html: no placeholder is left, and no page holds NaN") {
  for (const auto run : all_runs()) {
    const std::string page = without_library(page_of(run()));
    CHECK_FALSE(has(page, "{{"));
    CHECK_FALSE(has(page, ">nan"));
  }
}

TEST_CASE("html: the data is JSON for every run, with null for what is missing") {
  for (const auto run : all_runs()) {
    const Json data = Json::parse(chart_data(run(), example_charts(run())));
    CHECK(data["points"].is_array());
    CHECK(data["sweep"].is_array());
  }
  const RunResult run = good_run();
  const Json point = Json::parse(chart_data(run, example_charts(run)))["points"][0];
  CHECK(point["timeline"]["ttft_p50"][25].is_null());
  CHECK(point["timeline"]["ttft_p50"][31] == 91);
  CHECK(point["waterfall"][0] == Json::parse("[7, 1, 1.001, 1.02, 1.09, 2.3, 0]"));
}

TEST_CASE("html: figures in the data have five digits, instants those of a microsecond") {
  const RunResult run = good_run();
  Charts charts = example_charts(run);
  charts.points[0].streams[0].gap_ms = {9.876543};
  charts.points[0].waterfall[0].end_s = 1234.567891;
  const Json point = Json::parse(chart_data(run, charts))["points"][0];
  CHECK(point["streams"][0]["gap"][0] == 9.8765);
  CHECK(point["waterfall"][0][5] == 1234.56789);
}

TEST_CASE(
    "html: a distribution has the intervals of the percentiles that it marks, null for a missing bound") {
  const RunResult run = good_run();
  const Json point = Json::parse(chart_data(run, example_charts(run)))["points"][0];
  const auto& marked = point["distributions"][0]["intervals"];
  const Metric* ttft = run.points[0].find("ttft");
  REQUIRE(marked.size() == 3);
  CHECK(marked[1] == Json::array({0.95, *ttft->find(95)->low, *ttft->find(95)->high}));
  REQUIRE_FALSE(ttft->find(99)->high);
  CHECK(marked[2] == Json::array({0.99, *ttft->find(99)->low, nullptr}));
}

TEST_CASE("html: a comma-decimal locale changes no byte") {
  for (const auto run : {good_run, sweep_run, targets_run}) {
    const std::string plain = page_of(run());
    const CommaLocale locale;
    CHECK(page_of(run()) == plain);
  }
}

TEST_CASE("html: without scripts every point has its table") {
  const std::string page = page_of(sweep_run());
  CHECK(has(page, "<section id=\"charts\" hidden>"));
  CHECK(has(page, "<noscript>"));
  CHECK(times(page, "<details>") == sweep_run().points.size());
  CHECK(has(page, "<th class=\"bold\">knee  32</th>"));
}

TEST_CASE("html: the frame tells what the words tell") {
  RunResult run = good_run();
  CHECK(has(page_of(run), "class=\"is_good\""));
  run.verdict.emplace().decision = Decision::undecided;
  CHECK(has(page_of(run), "class=\"is_warn\""));
  run.verdict->decision = Decision::fail;
  CHECK(has(page_of(run), "class=\"is_bad\""));
  CHECK(has(page_of(untrustworthy_run()), "class=\"is_bad\""));
}

TEST_CASE("html: a gate that passes is not red for a pair that it set aside") {
  const std::string page = page_of(set_aside_run());
  CHECK(has(page, "class=\"is_good\""));
  CHECK_FALSE(has(page, "✘"));
  CHECK(has(page, "Pair 7 is set aside"));
}

TEST_CASE("html: a judgement is said in words, with its interval and its limit") {
  Verdict verdict;
  verdict.decision = Decision::fail;
  verdict.basis = Basis::assertions;
  verdict.judgements = {{.decision = Decision::fail,
                         .text = "ttft.p95 < 500ms",
                         .where = "concurrency 8",
                         .unit = "ms",
                         .value = 612,
                         .low = 540,
                         .high = 700,
                         .limit = 500},
                        {.kind = JudgementKind::change,
                         .decision = Decision::undecided,
                         .text = "tpot.p50",
                         .relative = true,
                         .value = -0.012,
                         .low = -0.05,
                         .limit = 0.05,
                         .needed = "about 4 pairs more"}};
  const std::string html = html_verdict(verdict);
  CHECK(has(html, "<p class=\"decision bad\">✘ Fail</p>"));
  CHECK(has(html,
            "<th class=\"words\">ttft.p95 &lt; 500ms</th><td class=\"words bad\">FAIL</td>"
            "<td>612 ms</td><td>540 … 700</td><td></td><td class=\"words\">concurrency 8</td>"));
  CHECK(has(html, "<td class=\"words warn\">undecided</td><td>−1.2 %</td><td>≥ −5.0 %</td><td>+5 %</td>"));
  CHECK(has(html, "To settle it: about 4 pairs more."));
  CHECK(has(html, "<th>95 % interval</th>"));
}

TEST_CASE("html: a gate shows its bounds as such, both medians, its exit and each pair") {
  const std::string html = html_verdict(gate_verdict());
  CHECK(has(html, "<th>Bounds</th>"));
  CHECK_FALSE(has(html, "95 %"));
  CHECK(has(html, "81.2 → 97.3 ms"));
  CHECK(has(html, "Exit 1: failed."));
  CHECK(has(html, "<details><summary>Each pair</summary>"));
  CHECK(has(html, "set aside: the candidate&#39;s client was too slow"));
}

TEST_CASE("html: bytes that are no text and control characters do not reach the page") {
  CHECK(escape_html("a\x1b[31m\xff<b>\"'&") == "a [31m?&lt;b&gt;&quot;&#39;&amp;");
}

TEST_CASE("html: a gate's changes are drawn with their intervals and limits, assertions are not") {
  RunResult run = good_run();
  run.verdict = Verdict{};
  run.verdict->judgements = {{.kind = JudgementKind::change,
                              .decision = Decision::fail,
                              .text = "ttft.p50",
                              .unit = "share",
                              .relative = true,
                              .value = 0.08,
                              .low = 0.06,
                              .high = 0.1,
                              .limit = 0.05},
                             {.text = "ttft.p95 < 1s", .unit = "ms", .value = 121, .limit = 1000}};
  const Json gate = Json::parse(chart_data(run, example_charts(run)))["gate"];
  CHECK(gate.dump() ==
        R"([{"decision":"fail","high":0.1,"limit":0.05,"low":0.06,"name":"TTFT p50","value":0.08}])");
}

TEST_CASE("html: prompt lengths are compared over all points only where they were swept") {
  const auto lengths = [](const RunResult& run) {
    return Json::parse(chart_data(run, example_charts(run)))["lengths"].size();
  };
  CHECK(lengths(good_run()) == 0);
  CHECK(lengths(sweep_run()) == 0);
  CHECK(lengths(context_run()) == context_run().points.size());
}
