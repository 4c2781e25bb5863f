#include "ci_documents.hpp"

#include <fmt/format.h>

#include <cctype>
#include <sstream>

namespace infermeter {
namespace {

using std::string;
using std::string_view;

std::vector<string> lines_of(string_view text) {
  std::vector<string> lines;
  std::istringstream in{string(text)};
  for (string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t indentation(string_view line) {
  const auto first = line.find_first_not_of(' ');
  return first == string_view::npos ? line.size() : first;
}

bool blank(string_view line) { return indentation(line) == line.size(); }

/// "key: value", also after an item's dash. Returns the start of the key; npos: the line is something else.
std::size_t key_column(string_view line, string_view key) {
  std::size_t at = indentation(line);
  if (line.substr(at).starts_with("- ")) at += 2;
  return line.substr(at).starts_with(string(key) + ":") ? at : string_view::npos;
}

string joined(const std::vector<string>& parts, char with) {
  string all;
  for (const auto& part : parts) all += (all.empty() ? "" : string(1, with)) + part;
  return all;
}

/// The lines after `from` that belong to the text begun at `column`, without their common indentation.
std::vector<string> lines_below(const std::vector<string>& lines, std::size_t from, std::size_t column) {
  std::vector<string> below;
  std::size_t margin = string::npos;
  for (std::size_t i = from + 1; i < lines.size(); ++i) {
    const bool item =
        indentation(lines[i]) == column && string_view(lines[i]).substr(column).starts_with("- ");
    if (!blank(lines[i]) && indentation(lines[i]) <= column && !item) break;
    if (margin == string::npos) margin = indentation(lines[i]);
    below.push_back(blank(lines[i]) ? string() : lines[i].substr(std::min(margin, indentation(lines[i]))));
  }
  return below;
}

string items_of(const std::vector<string>& lines) {
  std::vector<string> items;
  for (const auto& line : lines) {
    if (line.starts_with("- "))
      items.push_back(line.substr(2));
    else if (!items.empty() && !blank(line))
      items.back() += " " + line.substr(indentation(line));
  }
  return joined(items, '\n');
}

string value_at(const std::vector<string>& lines, std::size_t at, std::size_t column, string_view key) {
  const string here = lines[at].substr(column + key.size() + 1);
  const auto below = lines_below(lines, at, column);
  if (here == " |") return joined(below, '\n');
  if (here == " >-") return joined(below, ' ');
  if (here.empty() && !below.empty() && below.front().starts_with("- ")) return items_of(below);
  return here.substr(std::min<std::size_t>(1, here.size()));
}

bool names_a_key(string_view line) {
  const auto colon = line.find(':');
  if (colon == string_view::npos || colon == 0) return false;
  for (const char c : line.substr(0, colon)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  }
  return colon + 1 == line.size() || line[colon + 1] == ' ';
}

bool opens_text(string_view line) { return line.ends_with(" |") || line.ends_with(" >-"); }

}  // namespace

std::vector<string> fenced_blocks(string_view markdown, string_view language) {
  std::vector<string> blocks;
  bool inside = false;
  for (const auto& line : lines_of(markdown)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    } else if (line == "```" + string(language)) {
      inside = true;
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<string> values_of(string_view yaml, string_view key) {
  std::vector<string> values;
  const auto lines = lines_of(yaml);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto column = key_column(lines[i], key);
    if (column != string_view::npos) values.push_back(value_at(lines, i, column, key));
  }
  return values;
}

string layout_fault(string_view yaml) {
  std::size_t number = 0, text_column = string::npos;
  for (const auto& line : lines_of(yaml)) {
    ++number;
    const std::size_t at = indentation(line);
    if (line.find('\t') != string::npos) return fmt::format("line {}: a tab", number);
    if (blank(line) || (text_column != string::npos && at > text_column)) continue;
    text_column = string::npos;
    if (at % 2 != 0) return fmt::format("line {}: indented by {}", number, at);
    string_view rest = string_view(line).substr(at);
    const bool item = rest.starts_with("- ");
    if (item) rest.remove_prefix(2);
    if (!item && !rest.starts_with('#') && !names_a_key(rest))
      return fmt::format("line {}: {}", number, line);
    // A plain item continues in lines with deeper indentation, as a text does.
    if (opens_text(rest) || (item && !names_a_key(rest))) text_column = at;
  }
  return {};
}

}  // namespace infermeter
