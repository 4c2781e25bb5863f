#include "cli/options/assert_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

/// Splits at commas outside brackets.
std::vector<std::string> split_expressions(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string plain(double value) { return fmt::format("{:.6g}", value); }

/// 8 and 8.0 are the same load.
std::string as_shown(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? plain(value) : text;
}

std::vector<std::string> scope_values(const Plan& plan, std::string_view key) {
  std::vector<std::string> values;
  const auto add = [&](const std::string& value) {
    if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  if (key == "target")
    for (const auto& target : plan.targets) add(target.name);
  if (key == "class")
    for (const auto& one : plan.classes) add(one.name);
  for (const auto& load : plan.sweep.points) {
    if (key == "concurrency" && !load.open_loop()) add(plain(load.concurrency));
    if (key == "rate" && load.rate) add(plain(*load.rate));
    if (key == "shape") add(load.shape_text);
    if (key == "run") add(plain(load.run));
  }
  return values;
}

/// A single target may have no name except its host's, which is known only after preflight.
bool is_known_later(const Plan& plan, std::string_view key) {
  return key == "target" && plan.targets.size() == 1 && plan.targets.front().name.empty();
}

}  // namespace

Asserts asserts_of(const Values& values) {
  Asserts out;
  for (const auto& text : values.list("assert")) {
    for (const auto& one : split_expressions(text)) {
      const auto from = std::min(one.find_first_not_of(' '), one.size());
      out.thresholds.push_back(parse_assertion(values.origin("assert"), std::string_view(one).substr(from)));
    }
  }
  out.by_point = values.flag("assert-point");
  return out;
}

void check_scopes(const std::string& origin, const Plan& plan) {
  for (const auto& assertion : plan.asserts) {
    for (const auto& [key, value] : assertion.scope) {
      if (is_known_later(plan, key)) continue;
      const auto known = scope_values(plan, key);
      if (std::ranges::find(known, as_shown(value)) != known.end() ||
          std::ranges::find(known, value) != known.end())
        continue;
      throw UsageError(fmt::format("{}: '{}' can never be checked: nothing here has {} {}", origin,
                                   assertion.text, key, value),
                       known.empty() ? fmt::format("This run has no {}.", key)
                                     : fmt::format("This run has {} {}.", key, fmt::join(known, ", ")));
    }
  }
}

}  // namespace infermeter
