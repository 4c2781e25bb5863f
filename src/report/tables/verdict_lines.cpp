#include "report/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/report/table.hpp"
#include "report/text/text.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

constexpr std::ptrdiff_t kManyAlike = 3;

Style style_of(Decision decision) {
  if (decision == Decision::pass) return Style::good;
  return decision == Decision::fail ? Style::bad : Style::warn;
}

Style style_of(const Verdict& verdict) {
  const Ending ending = ending_of(verdict);
  if (ending == Ending::interrupted) return Style::warn;
  return ending == Ending::run_failed || !verdict.trustworthy ? Style::bad : style_of(verdict.decision);
}

/// The columns of a verdict in the order of a terminal; an HTML page has the text first.
Cell state_cell(const Judgement& j) {
  return {std::string(state_word(j.decision)), {}, style_of(j.decision)};
}

std::string wrapped(const char* before, const std::string& text, const char* behind) {
  return text.empty() ? text : before + text + behind;
}

bool passes(const Judgement& judgement, const std::string& text) {
  return judgement.decision == Decision::pass && judgement.text == text &&
         judgement.kind == JudgementKind::assertion;
}

/// One line of the verdict: a judgement, or several alike that passed.
struct ShownJudgement {
  Judgement judgement;
  std::string where;
};

std::vector<ShownJudgement> shown_of(const Verdict& verdict, bool each) {
  std::vector<ShownJudgement> out;
  std::vector<std::string> told;
  for (const auto& judgement : verdict.judgements) {
    const auto alike =
        std::ranges::count_if(verdict.judgements, [&](const auto& j) { return passes(j, judgement.text); });
    if (each || !passes(judgement, judgement.text) || alike < kManyAlike) {
      out.push_back({judgement, judgement.where});
    } else if (std::ranges::find(told, judgement.text) == told.end()) {
      told.push_back(judgement.text);
      out.push_back({{.text = judgement.text}, fmt::format("at {} places", alike)});
    }
  }
  return out;
}

/// Without heads, cells describe themselves; the medians are left out.
Table lines_table(const std::vector<ShownJudgement>& shown) {
  Table table;
  table.columns = {
      {"", "", CellKind::words}, {.head = "", .sub = "", .kind = CellKind::words, .breaks = true},
      {"", "", CellKind::right}, {"", "", CellKind::words, 0, true},
      {"", "", CellKind::words}, {"", "", CellKind::words, 1},
      {"", "", CellKind::words}};
  for (const auto& [j, where] : shown) {
    auto& row = table.row({state_cell(j),
                           {j.text},
                           {value_words(j), {}, Style::bold},
                           {wrapped("(", interval_words(j), ")"), {}, Style::dim},
                           {wrapped("limit ", limit_words(j), ""), {}, Style::dim},
                           {medians_words(j), {}, Style::dim},
                           {where, {}, Style::dim}});
    if (const std::string remark = remark_words(j); !remark.empty()) row.below.push_back(remark);
  }
  return table;
}

/// A gate's bounds are those that decide, each with its own probability (docs/gate.md).
Table page_table(const std::vector<ShownJudgement>& shown, bool gated) {
  Table table;
  table.columns = {{"", "", CellKind::words},      {"", "", CellKind::words},
                   {"Value", "", CellKind::right}, {gated ? "Bounds" : "95 % interval", "", CellKind::right},
                   {"Limit", "", CellKind::right}, {"Baseline → candidate", "", CellKind::right},
                   {"Where", "", CellKind::words}};
  for (const auto& [j, where] : shown) {
    table.row({{j.text},
               state_cell(j),
               {value_words(j)},
               {interval_words(j)},
               {limit_words(j)},
               {medians_words(j)},
               {where}},
              {remark_words(j), Style::dim});
  }
  return table;
}

}  // namespace

Table units_table(const Verdict& verdict) {
  Table table;
  if (verdict.units.empty()) return table;
  table.columns.push_back({verdict.basis == Basis::runs ? "Run" : "Pair", "", CellKind::written});
  for (const auto& change : verdict.units.front().changes)
    table.columns.push_back({change.first, "", CellKind::written, 1});
  for (const auto& unit : verdict.units) {
    std::vector<Cell> cells{{fmt::format("{}", unit.number)}};
    for (const auto& change : unit.changes)
      cells.push_back({change.second ? change_words(*change.second) : "–"});
    table.row(std::move(cells), {unit.set_aside.empty() ? "" : "set aside: " + unit.set_aside, Style::warn});
  }
  return table;
}

void print_judgements(const Verdict& verdict, bool wide, Page& page) {
  if (!verdict.judgements.empty())
    print_table(page.html() ? page_table(shown_of(verdict, true), verdict.basis != Basis::assertions)
                            : lines_table(shown_of(verdict, wide)),
                page);
  std::vector<Span> end{{" " + exit_words(verdict), style_of(verdict)}};
  if (!verdict.ended.empty()) end.push_back({as_sentence(verdict.ended)});
  page.items("", end, 1);
  for (const auto& note : verdict.notes) page.prose({" "}, as_sentence(note), Style::dim);
  if (!wide || page.html() || verdict.units.empty()) return;
  page.blank();
  print_table(units_table(verdict), page);
}

std::string render_verdict(const Verdict& verdict, const TableOptions& options) {
  Page page(options);
  print_judgements(verdict, options.wide, page);
  return page.take();
}

}  // namespace infermeter
