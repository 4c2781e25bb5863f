#include "report/page/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/media/media.hpp"
#include "report/tables/table.hpp"

namespace infermeter {
namespace {

std::string_view trimmed(std::string_view text) { return trim(text, " "); }

std::string_view class_of(Style style) {
  switch (style) {
    case Style::bold:
      return "bold";
    case Style::dim:
      return "dim";
    case Style::good:
      return "good";
    case Style::bad:
      return "bad";
    case Style::warn:
      return "warn";
    case Style::plain:
      break;
  }
  return {};
}

/// Keeps its spaces, so that neighbours do not touch.
std::string styled(std::string_view text, Style style) {
  const std::string_view name = class_of(style);
  if (name.empty() || trimmed(text).empty()) return escape_html(text);
  return fmt::format("<span class=\"{}\">{}</span>", name, escape_html(text));
}

std::string attribute(std::string_view classes) {
  return classes.empty() ? std::string() : fmt::format(" class=\"{}\"", classes);
}

std::string heads(const std::vector<WrittenColumn>& columns, std::string Table::Column::* part,
                  const std::string& corner) {
  std::string out = "<tr>";
  for (const auto& written : columns) {
    const bool first = &written == &columns.front() && !corner.empty();
    out += fmt::format("<th{}>{}</th>", attribute(written.left() ? "words" : ""),
                       escape_html(trimmed(first ? corner : written.column.*part)));
  }
  return out + "</tr>\n";
}

std::string cell(const WrittenColumn& written, std::string_view text, Style style, bool first) {
  std::string classes(written.left() ? "words" : "");
  const std::string_view name = class_of(style);
  if (!name.empty()) classes += (classes.empty() ? "" : " ") + std::string(name);
  const char* tag = first ? "th" : "td";
  return fmt::format("<{}{}>{}</{}>", tag, attribute(classes), escape_html(trimmed(text)), tag);
}

std::string note_row(std::size_t columns, const Span& note) {
  return fmt::format("<tr class=\"note\"><td colspan=\"{}\">{}</td></tr>\n", columns,
                     styled(note.text, note.style));
}

std::string row_of(const std::vector<WrittenColumn>& columns, const Table::Row& row, std::size_t r) {
  std::string out = "<tr>", beneath = "<tr class=\"beneath\">";
  bool any_beneath = false;
  for (const auto& written : columns) {
    const bool first = &written == &columns.front();
    const std::string unit = first && !row.unit.empty() ? " " + row.unit : "";
    const Style style = written.index < row.cells.size() ? row.cells[written.index].style : Style::plain;
    out += cell(written, written.cells[r] + unit, style, first);
    beneath += cell(written, written.sures[r], written.sures[r].empty() ? Style::plain : Style::dim, first);
    any_beneath |= !written.sures[r].empty();
  }
  out += "</tr>\n";
  if (any_beneath) out += beneath + "</tr>\n";
  if (!row.note.text.empty()) out += note_row(columns.size(), row.note);
  for (const auto& line : row.below) out += note_row(columns.size(), {line, Style::dim});
  return out;
}

}  // namespace

std::string html_line(const std::vector<Span>& spans) {
  std::string out = "<p>";
  for (const auto& span : spans) out += styled(span.text, span.style);
  return out + "</p>\n";
}

std::string html_items(std::string_view label, const std::vector<Span>& items) {
  std::string out = "<p class=\"items\">";
  if (!trimmed(label).empty())
    out = fmt::format("<p class=\"items labelled\"><span class=\"label\">{}</span><span>",
                      escape_html(trimmed(label)));
  for (const auto& item : items)
    out +=
        fmt::format("<span{}>{}</span> ", attribute(class_of(item.style)), escape_html(trimmed(item.text)));
  return out + (trimmed(label).empty() ? "</p>\n" : "</span></p>\n");
}

std::string html_prose(const Span& mark, const Span& words) {
  if (trimmed(words.text).empty()) return {};
  const std::string_view sign = trimmed(mark.text);
  std::string out = sign.empty() ? "<p class=\"more\">" : "<p>";
  if (!sign.empty()) out += styled(sign, mark.style) + " ";
  return out + styled(words.text, words.style) + "</p>\n";
}

std::string html_table(const Table& table) {
  const std::vector<WrittenColumn> columns = written_columns(table);
  if (columns.empty()) return {};
  const auto& first = columns.front().column;
  const bool in_corner = table.sections.size() == 1 && first.head.empty() && first.sub.empty();
  const std::string corner = in_corner ? table.sections.front().title.text : std::string();
  std::string out = "<div class=\"scroll\"><table>\n<thead>" + heads(columns, &Table::Column::head, corner);
  if (std::ranges::any_of(columns, [](const auto& written) { return !written.column.sub.empty(); }))
    out += heads(columns, &Table::Column::sub, "");
  out += "</thead>\n";
  std::size_t r = 0;
  for (const auto& section : table.sections) {
    out += "<tbody>\n";
    if (!in_corner && !trimmed(section.title.text).empty())
      out += fmt::format("<tr class=\"title\"><th colspan=\"{}\">{}</th></tr>\n", columns.size(),
                         escape_html(trimmed(section.title.text)));
    for (const auto& row : section.rows) out += row_of(columns, row, r++);
    out += "</tbody>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace infermeter
