// Figures as lines of cells, for spreadsheets and data frames: a line per load point and slice, or a line per
// request. The format decides how cells are separated. Private to src/report.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/report/formats.hpp"

namespace infermeter {

struct LineForm {
  char separator;
  std::string (*cell)(std::string_view text);  // the gate of its medium, for text
};

/// What stands in a cell. A number is written as it is; text passes the gate of the medium.
struct LineCell {
  std::string text;
  bool number = false;
};

/// Every file has the same columns, whatever was measured, so that files can be concatenated.
std::string point_lines(const RunResult& result, const LineForm& form);
std::string request_lines(const RunResult& result, std::span<const RequestRecord> records,
                          const LineForm& form);

inline LineCell line_cell(const std::string& text) { return {text}; }
inline LineCell line_cell(std::string_view text) { return {std::string(text)}; }
inline LineCell line_cell(double value) {
  return {std::isfinite(value) ? fmt::format("{}", value) : std::string(), true};
}
inline LineCell line_cell(bool value) { return {value ? "true" : "false"}; }
template <typename T>
  requires std::integral<T>
LineCell line_cell(T value) {
  return {fmt::format("{}", value), true};
}
template <typename T>
  requires requires(const T& value) { line_cell(value); }
LineCell line_cell(const std::optional<T>& value) {
  return value ? line_cell(*value) : LineCell{};
}

inline std::string written_cell(const LineCell& cell, const LineForm& form) {
  return cell.number ? cell.text : form.cell(cell.text);
}

/// A column: its head, and its value from a line's context.
template <typename Context>
struct Field {
  std::string name;
  std::function<LineCell(const Context&)> value;
};

template <typename Context, typename Value>
Field<Context> field_of(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const Context& c) { return line_cell(value(c)); }};
}

template <typename Context>
void add_line(const std::vector<Field<Context>>& fields, const Context& context, const LineForm& form,
              std::string& out) {
  for (const auto& field : fields) {
    if (&field != &fields.front()) out += form.separator;
    out += written_cell(field.value(context), form);
  }
  out += '\n';
}

template <typename Context>
std::string head_line(const std::vector<Field<Context>>& fields, const LineForm& form) {
  std::string out;
  for (const auto& field : fields) {
    if (&field != &fields.front()) out += form.separator;
    out += form.cell(field.name);
  }
  return out + '\n';
}

}  // namespace infermeter
