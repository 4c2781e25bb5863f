#include "golden.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_results.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/table.hpp"
#include "lines.hpp"
#include "table_options.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

struct TableCase {
  const char* file;
  RunResult (*result)();
  TableOptions options;
};

std::vector<TableCase> table_cases() {
  return {{"good_80.txt", good_run, at(80)},
          {"good_80_color.txt", good_run, colored(80)},
          {"good_80_ascii.txt", good_run, ascii(80)},
          {"good_80_wide.txt", good_run, wide(80)},
          {"good_160.txt", good_run, at(160)},
          {"open_loop_80.txt", open_loop_run, at(80)},
          {"open_loop_160.txt", open_loop_run, at(160)},
          {"failing_80.txt", failing_run, at(80)},
          {"failing_80_color.txt", failing_run, colored(80)},
          {"failing_80_ascii.txt", failing_run, ascii(80)},
          {"failing_160.txt", failing_run, at(160)},
          {"untrustworthy_80.txt", untrustworthy_run, at(80)},
          {"hopeless_80.txt", hopeless_run, at(80)},
          {"events_80.txt", events_run, at(80)},
          {"whole_answers_80.txt", whole_answers_run, at(80)},
          {"not_streamed_80.txt", not_streamed_run, at(80)},
          {"short_80.txt", short_run, at(80)},
          {"sweep_80.txt", sweep_run, at(80)},
          {"sweep_80_color.txt", sweep_run, colored(80)},
          {"sweep_80_wide.txt", sweep_run, wide(80)},
          {"sweep_160.txt", sweep_run, at(160)},
          {"rate_sweep_80.txt", rate_sweep_run, at(80)},
          {"shape_sweep_80.txt", shape_sweep_run, at(80)},
          {"context_80.txt", context_run, at(80)},
          {"context_80_ascii.txt", context_run, ascii(80)},
          {"targets_80.txt", targets_run, at(80)},
          {"targets_80_ascii.txt", targets_run, ascii(80)},
          {"targets_160.txt", targets_run, at(160)},
          {"short_targets_80.txt", short_targets_run, at(80)},
          {"targets_sweep_80.txt", targets_sweep_run, at(80)},
          {"classes_80.txt", classes_run, at(80)},
          {"classes_80_wide.txt", classes_run, wide(80)},
          {"conversations_80.txt", conversations_run, at(80)},
          {"conversations_160.txt", conversations_run, at(160)},
          {"cancel_80.txt", cancel_run, at(80)},
          {"embeddings_80.txt", embeddings_run, at(80)},
          {"asserted_80.txt", asserted_run, at(80)},
          {"pairs_80.txt", pairs_run, at(80)},
          {"pairs_160.txt", pairs_run, at(160)},
          {"set_aside_80.txt", set_aside_run, at(80)},
          {"repeated_80.txt", repeated_run, at(80)},
          {"repeated_160.txt", repeated_run, at(160)}};
}

std::string table_page(const TableCase& c) {
  const RunResult result = c.result();
  return render_header(result, c.options) + "\n" + render_table(result, c.options);
}

bool is_ascii(const std::string& text) {
  return text.find_first_not_of(
             "\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
             "abcdefghijklmnopqrstuvwxyz{|}~") == std::string::npos;
}

std::string without_escapes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      out += text[i];
  }
  return out;
}

}  // namespace

TEST_CASE("table: every page is as in its golden file") {
  for (const auto& c : table_cases()) {
    INFO(c.file);
    CHECK(table_page(c) == golden(c.file, table_page(c)));
  }
}

TEST_CASE("table: a comma-decimal locale changes no byte of a page") {
  for (const auto& c : table_cases()) {
    const std::string expected = table_page(c);
    const CommaLocale locale;
    INFO(c.file);
    CHECK(table_page(c) == expected);
  }
}

TEST_CASE("table: no line is longer than the width, unless more columns were asked for") {
  for (const auto& c : table_cases()) {
    INFO(c.file);
    if (!c.options.wide) CHECK(longest_line(without_escapes(table_page(c))) <= c.options.width);
  }
}

TEST_CASE("table: the ASCII page holds ASCII only") {
  for (auto c : table_cases()) {
    c.options.ascii = true;
    c.options.color = false;
    INFO(c.file);
    CHECK(is_ascii(table_page(c)));
  }
}

TEST_CASE("table: colour adds escape sequences and changes no word") {
  for (auto c : table_cases()) {
    c.options.color = false;
    const std::string plain = table_page(c);
    c.options.color = true;
    INFO(c.file);
    CHECK(without_escapes(table_page(c)) == plain);
  }
}

TEST_CASE("table: escape sequences in a server's text do not reach the terminal") {
  CHECK(table_page({"", failing_run, at(80)}).find('\x1b') == std::string::npos);
}

TEST_CASE("table: a result without a load point still prints a page") {
  RunResult empty;
  CHECK(render_table(empty, TableOptions{}) == " Nothing was measured: the result holds no load point.\n");
  CHECK(render_header(empty, TableOptions{}).empty());
}

TEST_CASE("table: a headline over figures that are not to be trusted says so") {
  RunResult run = untrustworthy_run();
  CHECK(render_table(run, at(80)).find("see below") == std::string::npos);
  run.headline = {"SLO held."};
  CHECK(render_table(run, at(80)).starts_with(" SLO held.\n ✘ Not to be trusted: see below\n\n"));
}

TEST_CASE("json: every result is as in its golden file, in a comma-decimal locale too") {
  const std::pair<const char*, RunResult (*)()> cases[] = {{"good.json", good_run},
                                                           {"open_loop.json", open_loop_run},
                                                           {"conversations.json", conversations_run},
                                                           {"targets.json", targets_run},
                                                           {"failing.json", failing_run},
                                                           {"starting.json", starting_run}};
  for (const auto& [file, result] : cases) {
    const std::string plain = result_to_json(result());
    const CommaLocale locale;
    INFO(file);
    CHECK(result_to_json(result()) == plain);
    CHECK(plain == golden(file, plain));
  }
}

TEST_CASE("csv: every result is as in its golden file, in a comma-decimal locale too") {
  const std::pair<const char*, RunResult (*)()> cases[] = {{"sweep.csv", sweep_run},
                                                           {"classes.csv", classes_run},
                                                           {"open_loop.csv", open_loop_run},
                                                           {"hopeless.csv", hopeless_run}};
  for (const auto& [file, result] : cases) {
    const std::string plain = result_to_csv(result());
    const CommaLocale locale;
    INFO(file);
    CHECK(result_to_csv(result()) == plain);
    CHECK(plain == golden(file, plain));
  }
}
