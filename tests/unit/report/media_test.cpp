// Hostile text in every medium: a table of texts, and what each medium makes of them.
#include "report/media/media.hpp"

#include <array>
#include <functional>

#include "base/text.hpp"
#include "catch.hpp"
#include "example_results.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/table.hpp"

using namespace infermeter;

namespace {

struct HostileText {
  std::string text, terminal, csv, tsv, markdown, html, xml, property;
};

std::string on_terminal(const std::string& text) { return terminal_text(text, false); }

}  // namespace

TEST_CASE("media: hostile text in each medium") {
  const std::array<HostileText, 17> rows{{
      // a terminal's escape, and its title
      {"\x1b[31mred", " [31mred", " [31mred", " [31mred", R"( \[31mred)", " [31mred", " [31mred", " [31mred"},
      {"\x1b]0;t\x07", " ]0;t ", " ]0;t ", " ]0;t ", R"( \]0;t )", " ]0;t ", " ]0;t ", " ]0;t "},
      // C1, CSI and a lone byte of it
      {"a\xc2\x9b"
       "2J",
       "a 2J", "a 2J", "a 2J", "a 2J", "a 2J", "a 2J", "a 2J"},
      {"a\x9b", "a?", "a?", "a?", "a?", "a?", "a?", "a?"},
      // broken UTF-8, overlong form, surrogate
      {"\xc0\xaf|\xed\xa0\x80", "??|???", "??|???", "??|???", R"(??\|???)", "??|???", "??|???", "??|???"},
      // right-to-left override and mark
      {"a\u202eb\u200fc", "a?b?c", "a?b?c", "a?b?c", "a?b?c", "a?b?c", "a?b?c", "a?b?c"},
      // lines
      {"a\r\nb\u2028c", "a  b c", "a  b c", "a  b c", "a  b c", "a  b c", "a  b c", "a  b c"},
      // formulas
      {"=1+1", "=1+1", "'=1+1", "'=1+1", "=1+1", "=1+1", "=1+1", "=1+1"},
      {"+a", "+a", "'+a", "'+a", "+a", "+a", "+a", "+a"},
      {"-2", "-2", "'-2", "'-2", "-2", "-2", "-2", "-2"},
      {"\t@SUM(A1)", " @SUM(A1)", "' @SUM(A1)", "' @SUM(A1)", " @&#8203;SUM(A1)", " @SUM(A1)", " @SUM(A1)",
       " @SUM(A1)"},
      {"\uff1d1,\"x\"", "\uff1d1,\"x\"", "\"'\uff1d1,\"\"x\"\"\"", "'\uff1d1,\"x\"", "\uff1d1,\"x\"",
       "\uff1d1,&quot;x&quot;", "\uff1d1,&quot;x&quot;", "\uff1d1%2C\"x\""},
      // commands of CI systems
      {"\n::add-mask::x", " : :add-mask::x", " ::add-mask::x", " ::add-mask::x", " ::add-mask::x",
       " ::add-mask::x", " ::add-mask::x", " %3A%3Aadd-mask%3A%3Ax"},
      {"##[group]g", "# #[group]g", "##[group]g", "##[group]g", R"(#&#8203;#&#8203;\[group\]g)", "##[group]g",
       "##[group]g", "##[group]g"},
      // markup
      {"<script>'\"&", "<script>'\"&", "\"<script>'\"\"&\"", "<script>'\"&", "&lt;script&gt;'\"&amp;",
       "&lt;script&gt;&#39;&quot;&amp;", "&lt;script&gt;'&quot;&amp;", "<script>'\"&"},
      {"|`[a](b)", "|`[a](b)", "|`[a](b)", "|`[a](b)", R"(\|\`\[a\](b))", "|`[a](b)", "|`[a](b)", "|`[a](b)"},
      {"100%0A", "100%0A", "100%0A", "100%0A", "100%0A", "100%0A", "100%0A", "100%250A"},
  }};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(on_terminal(row.text) == row.terminal);
    CHECK(csv_cell(row.text) == row.csv);
    CHECK(tsv_cell(row.text) == row.tsv);
    CHECK(markdown_text(row.text) == row.markdown);
    CHECK(escape_html(row.text) == row.html);
    CHECK(xml_text(row.text) == row.xml);
    CHECK(github_property(row.text) == row.property);
  }
}

TEST_CASE("media: a message of a GitHub command keeps its own line breaks only, escaped") {
  CHECK(github_message("one\ntwo\r::error::x 5 %") == "one%0Atwo ::error::x 5 %25");
}

TEST_CASE("media: neither a script nor a comment ends in a page's data") {
  CHECK(script_json("\"</script><!--]]>\u2028\u2029&\"") ==
        R"("\u003c/script\u003e\u003c!--]]\u003e\u2028\u2029\u0026")");
}

TEST_CASE("media: a secret that a server divided by a bidirectional control is not joined again") {
  CHECK(printable("sk-abc\u202adef", false) == "sk-abc?def");
}

TEST_CASE("media: an IPv6 address is no command") {
  CHECK(on_terminal("connect to ::1:8000") == "connect to ::1:8000");
  CHECK(on_terminal("std::vector<a::b>") == "std::vector<a::b>");
}

TEST_CASE("media: a name of 100 kB filled the terminal") {
  const std::string name = "http://begin" + std::string(100'000, 'x') + "end";
  const std::string shown = on_terminal("no answer from " + name + " in 5 s");
  CHECK(shown.size() < 1100);
  CHECK(shown.starts_with("no answer from http://beginxxx"));
  CHECK(shown.find("x…x") != std::string::npos);
  CHECK(shown.ends_with("xxxend in 5 s"));
  CHECK(terminal_text(name, true).find("x...x") != std::string::npos);
  // Of many words, and of characters of several bytes.
  std::string words, accents;
  for (int i = 0; i < 50'000; ++i) words += "a b ", accents += "é";
  CHECK(count_code_points(on_terminal(words)) == 4000);
  CHECK(is_utf8(on_terminal(accents)));
  CHECK(count_code_points(on_terminal(accents)) == 1000);
  CHECK(on_terminal(std::string(1000, 'x')) == std::string(1000, 'x'));
}

TEST_CASE("csv: terminal escapes and formulas from a model's name reached the cells") {
  RunResult run = good_run();
  run.targets[0].model = "=HYPERLINK(\"http://e\")\x1b[2J";
  CHECK(result_to_csv(run).find(",\"'=HYPERLINK(\"\"http://e\"\") [2J\",") != std::string::npos);
  RequestRecord record;
  record.error = "@cmd\nx";
  record.gaps_us = {1};
  const std::string lines = requests_to_csv(run, std::vector{record});
  CHECK(lines.find(",'@cmd x,") != std::string::npos);
}

TEST_CASE("csv: a negative number of ours stays a number") {
  RunResult run = good_run();
  run.points[0].metrics[0].mean = -1.5;
  const std::string csv = result_to_csv(run);
  CHECK(csv.find(",-1.5,") != std::string::npos);
  CHECK(csv.find("'-") == std::string::npos);
}

TEST_CASE("media: no format lets a control character or a reordering through, wherever a server wrote it") {
  const std::string bad = "\x1b]8;;http://e\x07x\xc2\x9b\u202e\u2066\n::error::y\r";
  RunResult run = failing_run();
  for (auto& target : run.targets) {
    target.model = target.version = target.server_header = target.engine = bad;
    target.notes = target.system_fingerprints = {bad};
    target.ended_early = target.proxy = target.region = bad;
  }
  run.command_line = run.ended_early = run.sweep_ended = run.scenario = bad;
  run.labels = {{bad, bad}};
  for (auto& point : run.points) {
    for (auto& count : point.outcomes) count.example = bad;
  }
  RequestRecord record;
  record.error = record.finish_reason = record.server_request_id = record.label = bad;
  const std::vector<RequestRecord> records{record};
  const RunReport report{run, records, {}, [] { return Charts{}; }};
  for (const auto& spec : formats()) {
    for (const auto& make : {spec.run, spec.requests}) {
      if (!make) continue;
      CAPTURE(spec.name);
      const std::string text = make(report);
      CHECK(is_utf8(text));
      CHECK(text.find_first_of("\x1b\x07\r") == std::string::npos);
      CHECK(text.find("\n::error::y") == std::string::npos);
      if (std::string_view(spec.extension).ends_with("json")) continue;  // escaped or as it is
      for (const char* part : {"\xc2\x9b", "\u202e", "\u2066"}) CHECK(text.find(part) == std::string::npos);
    }
  }
}

TEST_CASE("media: JSON on a terminal moved the cursor or reversed what stands beside it") {
  CHECK(terminal_json("{\"a\":\"\u009b31m\u202e\u2066\u061c\u2028\x7f é…\U0001F600\"}") ==
        R"({"a":"\u009b31m\u202e\u2066\u061c\u2028\u007f é…)"
        "\U0001F600\"}");
}
