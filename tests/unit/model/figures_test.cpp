#include "infermeter/model/figures.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"

using namespace infermeter;

namespace {

/// A row of a table in docs/metrics.md that describes one name.
struct DocsRow {
  std::string table, name, text;
};

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// "| `ttft` | F − S | …": the first two cells; `table` is the first cell of the table's header.
std::vector<DocsRow> docs_rows() {
  std::ifstream file(INFERMETER_SOURCE_DIR "/docs/metrics.md");
  REQUIRE(file);
  std::vector<DocsRow> rows;
  std::string line, table;
  while (std::getline(file, line)) {
    if (!line.starts_with("| ")) {
      if (!line.starts_with("|--")) table.clear();
      continue;
    }
    std::istringstream cells(line.substr(1));
    std::string first, second;
    std::getline(cells, first, '|');
    std::getline(cells, second, '|');
    first = trimmed(first);
    if (table.empty()) {
      table = first;
    } else if (first.size() > 2 && first.front() == '`') {
      rows.push_back({table, first.substr(1, first.size() - 2), trimmed(second)});
    }
  }
  return rows;
}

bool is_of_figures(const DocsRow& row) { return row.table == "metric" || row.table == "figure"; }

std::string text_of(const std::vector<DocsRow>& rows, std::string_view name, bool of_figures) {
  for (const auto& row : rows) {
    const bool in_table = of_figures ? is_of_figures(row) : row.table == "here";
    if (in_table && row.name == name) return row.text;
  }
  return {};
}

}  // namespace

TEST_CASE("figures: every row has a label, a formula and one way to its value") {
  std::set<std::string_view> names;
  for (const auto& figure : known_figures()) {
    INFO(figure.name);
    CHECK(names.insert(figure.name).second);
    CHECK_FALSE(figure.label.empty());
    CHECK_FALSE(figure.formula.empty());
    CHECK((figure.of_request != nullptr) == (figure.level == FigureLevel::request));
    CHECK((figure.of_stream != nullptr) ==
          (figure.level == FigureLevel::token || figure.level == FigureLevel::event));
    CHECK((figure.of_point != nullptr) == (figure.level == FigureLevel::point));
    CHECK(figure.margin > 0);
    CHECK((figure.response.empty() || find_figure(figure.response)));
  }
}

TEST_CASE("figures: what is shown of a distribution are its own statistics, of a single figure none") {
  for (const auto output : {FigureOutput::sweep, FigureOutput::targets, FigureOutput::markdown,
                            FigureOutput::compare, FigureOutput::differences}) {
    for (const auto& [figure, at] : shown_figures(output)) {
      INFO(figure->name << " " << at.statistic);
      const auto known = statistics_of(*figure);
      CHECK(figure->is_distribution() == (std::ranges::find(known, at.statistic, [](const auto& s) {
                                            return std::string_view(s);
                                          }) != known.end()));
    }
  }
}

TEST_CASE("figures: docs/metrics.md has each of them with its formula and no other") {
  const auto rows = docs_rows();
  for (const auto& figure : known_figures()) {
    const auto text = text_of(rows, figure.name, true);
    INFO(figure.name << ": " << text);
    CHECK(text.starts_with(figure.formula));
    CHECK((text.size() == figure.formula.size() || text[figure.formula.size()] == '.'));
  }
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK((!is_of_figures(row) || find_figure(row.name)));
  }
}

TEST_CASE("figures: docs/metrics.md has their names in other tools") {
  const auto rows = docs_rows();
  for (const auto& figure : known_figures()) {
    INFO(figure.name);
    CHECK(text_of(rows, figure.name, false) == figure.peers);
  }
}

TEST_CASE("figures: a request's throughput has one unit and vectors and money have their own") {
  CHECK(name(find_figure("request_throughput")->unit) == "requests/s");
  CHECK(symbol(find_figure("request_throughput")->unit) == "req/s");
  CHECK(symbol(find_figure("item_throughput")->unit) == "vectors/s");
  CHECK(symbol(find_figure("cost_per_1k")->unit) == "$");
  CHECK(symbol("requests/s") == "req/s");
  CHECK(symbol("events/s") == "evt/s");
}

TEST_CASE("figures: in open loop the headline is the figure from the intended time") {
  CHECK(headline_figure(*find_figure("ttft"), true).name == "ttft_response");
  CHECK(headline_figure(*find_figure("ttft"), false).name == "ttft");
  CHECK(headline_figure(*find_figure("tpot"), true).name == "tpot");
}

TEST_CASE("figures: an estimate without a value says why") {
  PointResult point;
  const auto why = [&](std::string_view name, std::string_view statistic = {}) {
    return estimate_of(point, *find_figure(name), statistic).why_not;
  };
  CHECK(why("ttft", "p95") == "Nothing was measured here.");
  point.requests = 3;
  CHECK(why("ttft", "p95") == "No request went well.");
  point.ok = 3;
  CHECK(why("goodput") == "No --slo says what a good request is.");
  CHECK(why("server_queue", "p50") == "The server does not report this time.");
  CHECK(why("ttft", "p95") == "No answer has it.");
  point.load.stream = false;
  CHECK(why("ttft", "p95") == "Whole answers (--no-stream) do not have it.");
}

TEST_CASE("figures: a rate's bounds follow its own half width and not that of the tokens") {
  PointResult point;
  point.requests = point.ok = 40;
  point.whole = {.window_s = 10, .request = 4, .output = 400, .output_half_width = 8.0};
  const auto& requests = *find_figure("request_throughput");
  CHECK_FALSE(estimate_of(point, requests).low);
  point.whole.request_half_width = 3;
  CHECK(*estimate_of(point, requests).low == Approx(1));
  CHECK(*estimate_of(point, requests).high == Approx(7));
  CHECK(*estimate_of(point, *find_figure("output_throughput")).low == Approx(392));
}
