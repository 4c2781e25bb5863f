#include "html_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures.hpp"
#include "html_lines.hpp"

namespace infermeter {
namespace {

struct DecisionWords {
  const char* all;  // of everything together
  const char* one;  // of one assertion
  Style style;
  const char* colour;  // the style's name in the page
};

DecisionWords words_of(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return {"✔ Pass", "holds", Style::good, "good"};
    case Decision::fail:
      return {"✘ Fail", "broken", Style::bad, "bad"};
    case Decision::undecided:
      break;
  }
  return {"? Cannot tell", "not enough data", Style::warn, "warn"};
}

/// An assertion holds or is broken; a change or guard passes or fails.
std::string decision_words(const Judgement& judgement) {
  if (judgement.kind == JudgementKind::assertion) return words_of(judgement.decision).one;
  return std::string(judgement.decision == Decision::undecided ? "undecided" : name(judgement.decision));
}

std::string amount(const Judgement& judgement, std::optional<double> value) {
  if (!value) return {};
  if (judgement.relative) return fmt::format("{}{:.1f} %", *value < 0 ? "−" : "+", 100 * std::abs(*value));
  if (judgement.unit == "share") return as_percent(*value);
  return figure(*value) + (judgement.unit.empty() ? "" : " " + judgement.unit);
}

std::string interval(const Judgement& judgement) {
  if (judgement.low && judgement.high)
    return amount(judgement, judgement.low) + " … " + amount(judgement, judgement.high);
  if (judgement.low) return "≥ " + amount(judgement, judgement.low);
  return judgement.high ? "≤ " + amount(judgement, judgement.high) : std::string();
}

std::string explanation(const Judgement& judgement) {
  if (judgement.needed.empty()) return judgement.reason;
  return judgement.reason + (judgement.reason.empty() ? "" : " ") + "To settle it: " + judgement.needed + ".";
}

std::string judgement_table(const Verdict& verdict) {
  PageTable table;
  table.columns = {{"", "", true},
                   {"", "", true},
                   {"Value", "", false},
                   {"95 % interval", "", false},
                   {"Limit", "", false}};
  auto& rows = table.sections.emplace_back().rows;
  for (const auto& judgement : verdict.judgements) {
    const std::string where = judgement.where.empty() ? "" : fmt::format(" ({})", judgement.where);
    auto& row = rows.emplace_back();
    row.cells = {{judgement.text + where},
                 {decision_words(judgement), words_of(judgement.decision).style},
                 {amount(judgement, judgement.value)},
                 {interval(judgement), Style::dim},
                 {amount(judgement, judgement.limit)}};
    row.note = {explanation(judgement), Style::dim};
  }
  return rows.empty() ? std::string() : html_table(table);
}

}  // namespace

std::string html_verdict(const Verdict& verdict) {
  const DecisionWords words = words_of(verdict.decision);
  std::string out =
      fmt::format("<p class=\"decision {}\">{}</p>\n", verdict.trustworthy ? words.colour : "bad",
                  verdict.trustworthy ? words.all : "✘ Not to be trusted, so nothing is decided");
  if (!verdict.ended.empty()) out += html_line({{verdict.ended, Style::dim}});
  out += judgement_table(verdict);
  for (const auto& note : verdict.notes) out += html_prose({"!", Style::warn}, {note});
  return out;
}

}  // namespace infermeter
