#include <fmt/format.h>

#include <algorithm>

#include "report/tables/compare_table.hpp"
#include "report/text/markdown_text.hpp"
#include "report/words/compare_words.hpp"

namespace infermeter {
namespace {

std::string results_text(const SideBySide& compared) {
  std::string out;
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    out += fmt::format("- **{}** {}", letter_of(i), markdown_text(result.name));
    for (const auto& text : {result.source, result.model, result.start}) {
      if (!text.empty()) out += ", " + markdown_text(text);
    }
    if (!result.trustworthy) out += ", **not to be trusted**";
    if (result.partial) out += ", **partial**";
    if (i > 0) out += fmt::format(": {}", tally(compared, i));
    out += '\n';
  }
  return out;
}

std::string warnings_text(const SideBySide& compared) {
  std::string out;
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    for (const auto& sentence : compared.results[i].differences_of_kind)
      out += fmt::format("> {}: {}\n", letter_of(i), markdown_text(sentence));
    for (const auto& doubt : compared.results[i].doubts)
      out += fmt::format("> {} is not to be trusted: {}\n", letter_of(i), markdown_text(doubt));
  }
  return out.empty() ? out : "\n> [!WARNING]\n" + out;
}

std::string change_cell(const ComparedRow& row, const ComparedCell& cell) {
  const std::string change = change_text(row, cell), interval = change_interval_text(cell);
  const std::string word = word_of(cell).text;
  const bool matters = cell.word == ChangeWord::worse || cell.word == ChangeWord::better;
  std::string out = change + (interval.empty() ? "" : " " + interval);
  if (!word.empty()) out += matters ? fmt::format(" **{}**", word) : " " + word;
  return out;
}

std::string table_text(const SideBySide& compared, const ComparedPoint& point) {
  const std::string runs = runs_text(point);
  std::string out =
      fmt::format("\n### {}{}\n\n| |", markdown_text(point_title(point)), runs.empty() ? "" : ", " + runs);
  std::string rule = "|---|";
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    out += fmt::format(" {} |", letter_of(i)) + (i > 0 ? fmt::format(" {} against A |", letter_of(i)) : "");
    rule += i > 0 ? "--:|---|" : "--:|";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : point.rows) {
    const ShownUnit unit = shown_unit({&row});
    out += fmt::format("| {}, {} |", row_label(row), unit.name);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      out += fmt::format(" {} |", value_text(row.cells[i], unit));
      if (i > 0) out += fmt::format(" {} |", change_cell(row, row.cells[i]));
    }
    out += '\n';
  }
  return out;
}

std::string facts_text(const SideBySide& compared) {
  std::string out;
  for (const auto* facts : {&compared.surroundings, &compared.traffic}) {
    for (const auto& fact : *facts) {
      out += fmt::format("| {} |", fact.name);
      for (const auto& value : fact.values)
        out += fmt::format(" {} |", value.empty() ? "–" : markdown_text(value));
      out += '\n';
    }
  }
  if (out.empty()) return out;
  std::string head = "| differs |", rule = "|---|";
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    head += fmt::format(" {} |", letter_of(i));
    rule += "---|";
  }
  return "\n" + head + "\n" + rule + "\n" + out;
}

std::string folded_code(std::string_view title, const std::string& text) {
  return fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", title, text);
}

}  // namespace

std::string side_by_side_to_markdown(const SideBySide& compared) {
  std::string out =
      "## infermeter compare\n\n" + results_text(compared) + warnings_text(compared) + facts_text(compared);
  std::string tables;
  for (const auto& point : compared.points) tables += table_text(compared, point);
  // A sweep's tables would bury the discussion that they are posted into.
  out += compared.points.size() > 1 ? folded_code(fmt::format("{} loads", compared.points.size()), tables)
                                    : tables;
  for (const auto& sentence : unmatched_sentences(compared)) out += "\n" + markdown_text(sentence) + "\n";
  std::string notes;
  for (const auto& note : reading_notes(compared)) notes += "\n" + note + "\n";
  return out + folded_code("How to read it", notes);
}

}  // namespace infermeter
