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
#include <vector>

#include "base/text.hpp"
#include "infermeter/report/formats.hpp"

namespace infermeter {

struct LineForm {
  char separator;
  std::string (*cell)(std::string text);  // so that it cannot be taken for several
};

/// Every file has the same columns, whatever was measured, so that files can be concatenated.
std::string point_lines(const RunResult& result, const LineForm& form);
std::string request_lines(const RunResult& result, std::span<const RequestRecord> records,
                          const LineForm& form);

inline std::string cell_text(const std::string& text) { return repaired_utf8(text); }
inline std::string cell_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}
inline std::string cell_text(bool value) { return value ? "true" : "false"; }
template <typename T>
  requires std::integral<T>
std::string cell_text(T value) {
  return fmt::format("{}", value);
}
template <typename T>
  requires requires(const T& value) { cell_text(value); }
std::string cell_text(const std::optional<T>& value) {
  return value ? cell_text(*value) : std::string();
}

/// A column: its head, and its value from a line's context.
template <typename Context>
struct Field {
  std::string name;
  std::function<std::string(const Context&)> value;
};

template <typename Context, typename Value>
Field<Context> field_of(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const Context& c) { return cell_text(value(c)); }};
}

template <typename Context>
void add_line(const std::vector<Field<Context>>& fields, const Context& context, const LineForm& form,
              std::string& out) {
  for (const auto& field : fields) {
    if (&field != &fields.front()) out += form.separator;
    out += form.cell(field.value(context));
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
