#include "report/tables/table.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

Table targets() {
  return {.columns = {{"Target", "", CellKind::words},
                      {"TTFT", "p50", CellKind::milliseconds, 1},
                      {"vs first", "", CellKind::words, 2, true},
                      {"errors", "", CellKind::percent, 3}}};
}

Table two_rows() {
  Table table = targets();
  table.row({{"one"}, {{}, 91.8}, {"–"}, {{}, 0.0}});
  table.row({{"two"}, {{}, 1220.0}, {"+54 % ±3"}, {{}, 0.004}}, {"2 HTTP 500"});
  return table;
}

std::string printed(const Table& table, unsigned width, bool all) {
  TableOptions options;
  options.width = width;
  Page page(options);
  print_table(table, page, all);
  return page.take();
}

}  // namespace

TEST_CASE("table: figures stand under their heads, aligned on the decimal point") {
  CHECK(printed(two_rows(), 60, false) ==
        " Target      TTFT   vs first   errors\n"
        "           p50 ms                   %\n"
        " one         91.8   –             0\n"
        " two      1,220     +54 % ±3      0.4  2 HTTP 500\n");
}

TEST_CASE("table: the least important columns give way, a note goes beneath") {
  CHECK(printed(two_rows(), 30, false) ==
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        " two      1,220     +54 % ±3\n"
        "     2 HTTP 500\n");
}

TEST_CASE("table: with all columns asked for, those that do not fit stand beneath") {
  CHECK(printed(two_rows(), 30, true) ==
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        " two      1,220     +54 % ±3\n"
        "     2 HTTP 500\n"
        "\n"
        " Target   errors\n"
        "               %\n"
        " one         0\n"
        " two         0.4\n");
}

TEST_CASE("table: sections have the same columns, though one of them alone had room for more") {
  Table table = targets();
  table.section({"at 1"});
  table.row({{"one"}, {{}, 91.8}, {"–"}, {{}, 0.0}});
  table.section({"at 8"});
  table.row({{"two"}, {{}, 1220.0}, {"+54 % (50 … 61)"}, {{}, 0.004}});
  CHECK(printed(table, 40, false) ==
        " at 1\n"
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        "\n"
        " at 8\n"
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " two      1,220     +54 % (50 … 61)\n");
}

TEST_CASE("table: a column and the one joined to it come and go together") {
  CHECK(printed(two_rows(), 20, false) ==
        " Target     TTFT  vs first\n"
        "          p50 ms\n"
        " one        91.8  –\n"
        " two     1,220    +54 % ±3\n"
        "     2 HTTP 500\n");
}

TEST_CASE("table: milliseconds become seconds where all of a column are large") {
  Table table{.columns = {{"n", "", CellKind::written}, {"TTFT", "p50", CellKind::milliseconds, 1}}};
  table.row({{"1"}, {{}, 1000.0}});
  table.row({{"2"}, {{}, 25'000.0}});
  CHECK(printed(table, 40, false) ==
        " n    TTFT\n"
        "     p50 s\n"
        " 1    1.00\n"
        " 2   25.0\n");
}

TEST_CASE("table: a column without a figure is left out") {
  Table table{.columns = {{"n", "", CellKind::written}, {"TTFT", "p50", CellKind::milliseconds, 1}}};
  table.row({{"1"}, {}});
  CHECK(printed(table, 40, false) == " n\n 1\n");
}

TEST_CASE("table: a row whose text is too long for the page has its cells beneath") {
  Table table{.columns = {{"", "", CellKind::words},
                          {.head = "", .sub = "", .kind = CellKind::words, .breaks = true},
                          {"", "", CellKind::right},
                          {"", "", CellKind::words, 0, true}}};
  table.row({{"FAIL"}, {"ttft.p95 < 500ms"}, {"612 ms"}, {"(590 … 640)"}});
  table.row({{"pass"}, {"tps"}, {"98"}, {"(97 … 99)"}}).below = {"why"};
  CHECK(printed(table, 32, true) ==
        " FAIL  ttft.p95 < 500ms\n"
        "       612 ms (590 … 640)\n"
        " pass  tps  98  (97 … 99)\n"
        "       why\n");
}

TEST_CASE("table: how sure a figure is stands beneath it, or beside it where it takes no more banks") {
  Table table{
      .columns = {{"", "", CellKind::words},
                  {"p50", "", CellKind::written},
                  {.head = "change", .sub = "", .kind = CellKind::right, .sure = Table::Sure::beside}}};
  table.section({"Latency"});
  table.row({{"TTFT"}, {"91.8", {}, Style::plain, "±1.25"}, {"+19 %", {}, Style::plain, "(+16 … +23)"}})
      .unit = "ms";
  CHECK(printed(table, 60, true) ==
        " Latency    p50  change\n"
        " TTFT ms  91.8    +19 % (+16 … +23)\n"
        "          ±1.25\n");
  table.columns[1].rank = table.columns[2].rank = 1;
  CHECK(printed(table, 30, true) ==
        " Latency    p50       change\n"
        " TTFT ms  91.8         +19 %\n"
        "          ±1.25  (+16 … +23)\n");
}

TEST_CASE("table: evenly spaced columns that do not fit stand beneath, the most important first") {
  Table table{.columns = {{"", "", CellKind::words},
                          {"mean", "", CellKind::number, 2},
                          {"p50", "", CellKind::number, 1}},
              .even = true};
  table.row({{"Time to first token"}, {{}, 91.8}, {{}, 90.2}});
  CHECK(printed(table, 28, true) ==
        "                         p50\n"
        " Time to first token    90.2\n"
        "\n"
        "                        mean\n"
        " Time to first token    91.8\n");
}

TEST_CASE("table: Markdown has what a figure's sureness is beside it, and the note last") {
  Table table{.columns = {{"target", "", CellKind::name},
                          {"TTFT", "p50", CellKind::milliseconds, 1},
                          {"vs A", "", CellKind::right, 1, true},
                          {"", "", CellKind::words, 1, true}}};
  table.row({{"a|b"},
             {.text = "", .value = 91.8, .sure = "", .low = 90.6, .high = 93.0},
             {"+2 %", {}, Style::bad, "(+1 … +3)"},
             {"worse", {}, Style::bad}},
            {"3 HTTP 500"});
  CHECK(markdown_table(table) ==
        "| target | TTFT p50 ms | vs A | |\n"
        "|---|---:|---:|---|\n"
        "| `a\\|b` | 91.8 ±1.2 | +2 % (+1 … +3) **worse** | 3 HTTP 500 |\n");
}

TEST_CASE("table: HTML has the title of the only section above the rows' names, and lines beneath") {
  Table table{.columns = {{"", "", CellKind::words}, {"p50", "", CellKind::number}}};
  table.section({"Latency"});
  table.row({{"TTFT"}, {.text = "", .value = 91.8, .sure = "", .low = 90.6, .high = 93.0}}).below = {
      "between <runs>"};
  table.sections.front().rows.front().unit = "ms";
  CHECK(html_table(table) ==
        "<div class=\"scroll\"><table>\n"
        "<thead><tr><th class=\"words\">Latency</th><th>p50</th></tr>\n"
        "</thead>\n<tbody>\n"
        "<tr><th class=\"words\">TTFT ms</th><td>91.8</td></tr>\n"
        "<tr class=\"beneath\"><th class=\"words\"></th><td class=\"dim\">±1.2</td></tr>\n"
        "<tr class=\"note\"><td colspan=\"2\"><span class=\"dim\">between &lt;runs&gt;</span></td></tr>\n"
        "</tbody>\n</table></div>\n");
}
