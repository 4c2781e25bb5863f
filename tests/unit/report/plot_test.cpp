#include <algorithm>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_charts.hpp"
#include "example_results.hpp"
#include "golden.hpp"
#include "infermeter/report/formats.hpp"
#include "lines.hpp"
#include "report/text/text.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

struct PlotCase {
  const char* file;
  RunResult (*result)();
  Charts (*charts)(const RunResult&);
  TableOptions options;
};

std::vector<PlotCase> plot_cases() {
  TableOptions ascii, color, wide;
  ascii.ascii = true;
  color.color = true;
  wide.width = 160;
  return {{"plot_80.txt", good_run, example_charts, {}},
          {"plot_80_ascii.txt", good_run, example_charts, ascii},
          {"plot_80_color.txt", good_run, example_charts, color},
          {"plot_160.txt", good_run, example_charts, wide},
          {"plot_no_gaps_80.txt", open_loop_run, charts_without_gaps, {}},
          {"plot_targets_80.txt", targets_run, example_charts, {}}};
}

std::string plot(const PlotCase& c) {
  const RunResult run = c.result();
  return render_plot(run, c.charts(run), c.options);
}

}  // namespace

TEST_CASE("plot: every picture is as in its golden file, in a comma-decimal locale too") {
  for (const auto& c : plot_cases()) {
    const std::string plain = plot(c);
    const CommaLocale locale;
    INFO(c.file);
    CHECK(plot(c) == plain);
    CHECK(plain == golden(c.file, plain));
  }
}

TEST_CASE("plot: no line is longer than the width, down to 40 columns") {
  for (auto c : plot_cases()) {
    c.options.color = false;
    INFO(c.file);
    CHECK(longest_line(plot(c)) <= c.options.width);
    c.options.width = 40;
    CHECK(longest_line(plot(c)) <= 40);
  }
}

TEST_CASE("plot: the ASCII picture holds ASCII only") {
  const std::string text = plot(plot_cases()[1]);
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  CHECK(text.find('?') == std::string::npos);
}

TEST_CASE("plot: a run without charts says so") {
  CHECK(render_plot(hopeless_run(), {}, {}) == " Nothing was measured: there is nothing to draw.\n");
}

TEST_CASE("plot: a single bin and a single stretch are drawn") {
  const RunResult run = good_run();
  Charts charts = example_charts(run);
  auto& point = charts.points.at(0);
  point.distributions = {{"ttft", "ms", 1, {49.9, 50.1}, {1}, {{50, 0}, {50, 1}}}};
  point.timeline = {0, 0.1, {1}, {30}, {50}, {50}, {0}};
  const std::string text = render_plot(run, charts, {});
  CHECK(text.find("TTFT   p50 50.0 ms") != std::string::npos);
  CHECK(text.find("█") != std::string::npos);
}
