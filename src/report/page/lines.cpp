#include "report/page/lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/text.hpp"

namespace infermeter {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  return from == std::string_view::npos ? std::string_view{}
                                        : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

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

/// With the spaces it has, so that neighbours do not touch.
std::string styled(std::string_view text, Style style) {
  const std::string_view name = class_of(style);
  if (name.empty() || trimmed(text).empty()) return escape_html(text);
  return fmt::format("<span class=\"{}\">{}</span>", name, escape_html(text));
}

std::string attribute(std::string_view classes) {
  return classes.empty() ? std::string() : fmt::format(" class=\"{}\"", classes);
}

std::string heads(const PageTable& table, std::string PageTable::Column::* part) {
  std::string out = "<tr>";
  for (const auto& column : table.columns)
    out += fmt::format("<th{}>{}</th>", attribute(column.words ? "words" : ""),
                       escape_html(trimmed(column.*part)));
  return out + "</tr>\n";
}

std::string cell(const PageTable::Column& column, const Span& span, bool first) {
  std::string classes(column.words ? "words" : "");
  const std::string_view style = class_of(span.style);
  if (!style.empty()) classes += (classes.empty() ? "" : " ") + std::string(style);
  const char* tag = first ? "th" : "td";
  return fmt::format("<{}{}>{}</{}>", tag, attribute(classes), escape_html(trimmed(span.text)), tag);
}

std::string row_of(const PageTable& table, const PageTable::Row& row) {
  std::string out = row.beneath ? "<tr class=\"beneath\">" : "<tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out += cell(table.columns[c], c < row.cells.size() ? row.cells[c] : Span{}, c == 0);
  out += "</tr>\n";
  if (row.note.text.empty()) return out;
  return out + fmt::format("<tr class=\"note\"><td colspan=\"{}\">{}</td></tr>\n", table.columns.size(),
                           styled(row.note.text, row.note.style));
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : printable(text, false)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

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

std::string html_table(const PageTable& table) {
  std::string out = "<div class=\"scroll\"><table>\n<thead>" + heads(table, &PageTable::Column::head);
  if (std::ranges::any_of(table.columns, [](const auto& column) { return !column.sub.empty(); }))
    out += heads(table, &PageTable::Column::sub);
  out += "</thead>\n";
  for (const auto& section : table.sections) {
    out += "<tbody>\n";
    if (!trimmed(section.title).empty())
      out += fmt::format("<tr class=\"title\"><th colspan=\"{}\">{}</th></tr>\n", table.columns.size(),
                         escape_html(trimmed(section.title)));
    for (const auto& row : section.rows) out += row_of(table, row);
    out += "</tbody>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace infermeter
