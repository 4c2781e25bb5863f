// Every output uses the catalogue of figures: the values of a point are shown under the catalogue's names.
#include "infermeter/model/figures.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "example_results.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/result_json.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

Metric any_metric(const Figure& figure, std::string name) {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = infermeter::name(figure.unit);
  metric.count = 40;
  metric.mean = 12.5;
  metric.stddev = 1;
  metric.min = 11.5;
  metric.max = 16.25;
  metric.low_tail = figure.low_tail;
  for (const double percentile : percentiles_of(figure))
    metric.percentiles.push_back({percentile, 12.5, 12.25, 12.75});
  return metric;
}

/// A run of one point with a value of every figure.
RunResult run_with_all() {
  RunResult run = good_run();
  PointResult& point = run.points.front();
  point.metrics.clear();
  for (const auto& figure : known_figures()) {
    if (figure.is_distribution() && !figure.by_server)
      point.metrics.push_back(any_metric(figure, std::string(figure.name)));
  }
  point.item_throughput = 7.5;
  point.output_per_gpu = 785;
  point.achieved_ratio = 0.995;
  point.offered = 24;
  point.served = 23.5;
  point.tokens_per_event = 1.5;
  point.slo =
      SloResult{.requests = 700, .met = 690, .attainment = 0.986, .low = 0.97, .high = 0.99, .goodput = 23};
  point.cost = Cost{.total = 1.5, .per_1k = 2.25, .source = "prices"};
  point.cache = CacheFacts{.requests = 700, .hit_share = 0.25, .mean_cached = 128};
  point.retries = 3;
  point.scraped = example::server_window_of_vllm();
  point.rate_limits = RateLimitFacts{.limited = 3};
  return run;
}

std::vector<std::string> heads_of(const std::string& tsv) {
  std::vector<std::string> heads(1);
  for (const char c : tsv.substr(0, tsv.find('\n'))) {
    if (c == '\t')
      heads.emplace_back();
    else
      heads.back() += c;
  }
  return heads;
}

std::vector<std::string> first_line_of(const std::string& tsv) {
  return heads_of(tsv.substr(tsv.find('\n') + 1));
}

/// The cell below a header; nothing if there is no such column.
std::string cell(const std::string& tsv, const std::string& head) {
  const auto heads = heads_of(tsv), cells = first_line_of(tsv);
  for (std::size_t i = 0; i < heads.size() && i < cells.size(); ++i) {
    if (heads[i] == head) return cells[i];
  }
  return {};
}

std::string csv_unit(const Figure& figure) { return figure.unit == FigureUnit::milliseconds ? "_ms" : ""; }

}  // namespace

TEST_CASE("figures: a table of lines has a column with a value for each figure of a point") {
  const RunResult run = run_with_all();
  const TableOptions options;
  const std::string tsv = format_named("tsv").run({run, {}, options, {}});
  for (const auto& figure : known_figures()) {
    if (figure.by_server) continue;
    const std::string name(figure.name);
    CAPTURE(name);
    if (figure.is_distribution()) {
      CHECK(!cell(tsv, name + csv_unit(figure) + "_mean").empty());
      CHECK(
          !cell(tsv, fmt::format("{}{}_p{}", name, csv_unit(figure), percentiles_of(figure).back())).empty());
    } else {
      REQUIRE(estimate_of(run.points.front(), figure).value);
      CHECK((!cell(tsv, name).empty() || !cell(tsv, "whole_" + name).empty()));
    }
  }
}

TEST_CASE("figures: JSON has every distribution by its name, with its unit") {
  const std::string json = result_to_json(run_with_all());
  for (const auto& figure : known_figures()) {
    if (!figure.is_distribution() || figure.by_server) continue;
    CAPTURE(std::string(figure.name));
    CHECK(has(json, fmt::format("\"{}\": {{\n          \"unit\": \"{}\"", figure.name, name(figure.unit))));
  }
}

TEST_CASE("figures: the wide table and the page have a row with label and unit for each that they show") {
  RunResult run = run_with_all();
  run.points.front().load.open_loop = true;
  const std::string table = render_table(run, {.width = 120, .wide = true});
  const std::string html = render_html(run, {});
  for (const auto& figure : known_figures()) {
    const bool shown = figure.is_shown(FigureOutput::table) || figure.is_shown(FigureOutput::wide);
    if (!shown || !tells_more(figure, run.points.front(), true)) continue;
    CAPTURE(std::string(figure.name));
    // A label that is too wide for the table's first column gives way to the short one.
    const auto label = has(table, fmt::format("\n {} ", figure.label)) ? figure.label : figure.brief();
    CHECK(has(table, fmt::format("\n {} ", label)));
    if (figure.unit == FigureUnit::milliseconds)
      CHECK(has(html, fmt::format(">{} {}</th>", label, symbol(figure.unit))));
    else
      CHECK(has(html, fmt::format(">{} (p10 p5 p1)</th>", label)));
  }
}

TEST_CASE("figures: Markdown and one line of a run have a column and a part for each that they show") {
  const RunResult run = run_with_all();
  const std::string markdown = result_to_markdown(run), junit = result_to_junit(run);
  for (const auto& [figure, at] : shown_figures(FigureOutput::markdown)) {
    if (!tells_more(*figure, run.points.front(), true)) continue;
    CAPTURE(std::string(figure->name));
    const std::string head = figure->is_distribution()
                                 ? fmt::format("| {} {} ms |", figure->label, at.statistic)
                                 : fmt::format("| {}", figure->head);
    CHECK(has(markdown, head));
    CHECK(has(junit, std::string(symbol(figure->unit))));
  }
  CHECK(has(junit, "7.50 vectors/s"));
  CHECK(has(junit, "$2.25"));
}
