#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_side_by_side.hpp"
#include "golden.hpp"
#include "infermeter/model/figures.hpp"
#include "infermeter/report/formats.hpp"
#include "lines.hpp"
#include "report/text/text.hpp"
#include "report/words/compare_words.hpp"
#include "table_options.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

struct CompareCase {
  const char* file;
  SideBySide (*compared)();
  TableOptions options;
};

std::vector<CompareCase> compare_cases() {
  return {{"compare_80.txt", two_compared, at(80)},
          {"compare_80_ascii.txt", two_compared, ascii(80)},
          {"compare_80_color.txt", two_compared, colored(80)},
          {"compare_160.txt", two_compared, at(160)},
          {"compare_three_80.txt", three_compared, at(80)},
          {"compare_three_120.txt", three_compared, at(120)},
          {"compare_three_160.txt", three_compared, at(160)},
          {"compare_sweep_80.txt", sweep_compared, at(80)},
          {"compare_sweep_80_wide.txt", sweep_compared, wide(80)},
          {"compare_mixed_80.txt", mixed_compared, at(80)}};
}

std::string side_by_side(const CompareCase& c) { return render_side_by_side(c.compared(), c.options); }

ComparedCell changed_cell(double change, std::optional<double> low, std::optional<double> high) {
  ComparedCell cell;
  cell.value = 1;
  cell.change = change;
  cell.change_low = low;
  cell.change_high = high;
  return cell;
}

}  // namespace

TEST_CASE("compare: every page is as in its golden file, in a comma-decimal locale too") {
  for (const auto& c : compare_cases()) {
    INFO(c.file);
    const std::string plain = side_by_side(c);
    CHECK(plain == golden(c.file, plain));
    const CommaLocale locale;
    CHECK(side_by_side(c) == plain);
  }
}

TEST_CASE("compare: no line is longer than the width") {
  for (auto c : compare_cases()) {
    INFO(c.file);
    c.options.color = false;
    CHECK(longest_line(side_by_side(c)) <= c.options.width);
  }
}

TEST_CASE("compare: names, facts and loads longer than a line do not make the page wider") {
  SideBySide compared = mixed_compared();
  compared.results[0].name = std::string(90, 'a') + "/before";
  compared.results[0].model = "meta-llama/" + std::string(90, 'm');
  compared.surroundings = {{"CPU", {"short", "a processor of many words " + std::string(60, 'c') + " GHz"}},
                           {"model", {std::string(90, 'm'), "m"}}};
  for (auto& point : compared.points) {
    point.target = "a-target-with-a-rather-long-name-" + point.target;
    for (auto& load : point.loads) load->max_in_flight = 200;
  }
  for (const std::size_t loads : {1u, 2u, 5u}) {
    compared.points.resize(loads, compared.points.back());
    const std::string page = render_side_by_side(compared, at(80));
    INFO(page);
    CHECK(longest_line(page) <= 80);
    CHECK(page.find("/before") != std::string::npos);
    CHECK((page.find(" load 5  a-target-with") != std::string::npos) == (loads == 5));
  }
}

TEST_CASE("compare: failed requests of a result are said, on the page and in Markdown") {
  SideBySide compared = two_compared();
  compared.results[1].requests = 60;
  compared.results[1].failed = 4;
  compared.results[1].health = HealthState::degraded;
  CHECK(render_side_by_side(compared, at(80)).find(" ! B: 4 of 60 failed; latencies are of the others\n") !=
        std::string::npos);
  CHECK(side_by_side_to_markdown(compared).find("**4 of 60 failed**") != std::string::npos);
  CHECK(render_side_by_side(two_compared(), at(80)).find("failed") == std::string::npos);
}

TEST_CASE("compare: JSON and Markdown are as in their golden files, in a comma-decimal locale too") {
  const std::pair<const char*, SideBySide (*)()> cases[] = {{"compare", two_compared},
                                                            {"compare_sweep", sweep_compared}};
  for (const auto& [file, compared] : cases) {
    const std::string json = side_by_side_to_json(compared()),
                      markdown = side_by_side_to_markdown(compared());
    CHECK(json == golden(std::string(file) + ".json", json));
    CHECK(markdown == golden(std::string(file) + ".md", markdown));
    const CommaLocale locale;
    CHECK(side_by_side_to_json(compared()) == json);
    CHECK(side_by_side_to_markdown(compared()) == markdown);
  }
}

TEST_CASE("compare: a name in Markdown cannot break the table or hide text in it") {
  SideBySide compared = two_compared();
  compared.results[1].name = "a|b<!--`";
  CHECK(side_by_side_to_markdown(compared).find(R"(a\|b&lt;!--\`)") != std::string::npos);
}

TEST_CASE("compare: a change is written with its bounds, or the one that there is") {
  const ComparedRow row;
  CHECK(change_text(row, changed_cell(0.1984, 0.161, 0.23)) == "+19.8 %");
  CHECK(change_interval_text(changed_cell(0.1984, 0.161, 0.23)) == "(+16.1 … +23.0)");
  CHECK(change_interval_text(changed_cell(-0.3, std::nullopt, -0.1)) == "(≤ −10.0)");
  CHECK(change_interval_text(changed_cell(0.3, 0.1, std::nullopt)) == "(≥ +10.0)");
  CHECK(change_text(row, changed_cell(0.0002, {}, {})) == "0.0 %");
  CHECK(change_text(row, changed_cell(3.14, {}, {})) == "+314 %");
}

TEST_CASE("compare: a figure that is left out has its reason on the page and in Markdown") {
  SideBySide compared = sweep_compared();
  compared.points.resize(2);
  for (std::size_t at = 0; at < 2; ++at) {
    auto& cell = compared.points[at].rows.front().cells[1];
    cell = ComparedCell{.reason = at == 0 ? "9 of 9 answers came in one piece." : ""};
  }
  const auto& label = find_figure(compared.points[0].rows.front().metric)->brief();
  const std::string sentence = fmt::format("B has no {} at {}: 9 of 9 answers came in one piece.", label,
                                           point_title(compared.points[0]));
  const auto page = render_side_by_side(compared, at(200)), markdown = side_by_side_to_markdown(compared);
  CHECK(page.find("left out") != std::string::npos);
  CHECK(page.find(sentence) != std::string::npos);
  CHECK(markdown.find("came in one piece.") != std::string::npos);
  CHECK(left_out_sentences(two_compared()).empty());
}

TEST_CASE("compare: a share changes by points") {
  ComparedRow row;
  row.absolute = true;
  CHECK(change_text(row, changed_cell(-0.012, {}, {})) == "−1.2 pts");
}

TEST_CASE("compare: where no load is common the page says so") {
  SideBySide compared = sweep_compared();
  compared.points.clear();
  const std::string text = render_side_by_side(compared, at(80));
  CHECK(text.find("No load was measured in A and in another one.") != std::string::npos);
  CHECK(text.find("Only in B: concurrency 128") != std::string::npos);
}
