#include "base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> found;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

void refuse_unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
  const auto near = nearest_name(name, known);
  std::string all;
  for (const auto& candidate : known) all += (all.empty() ? "known: " : ", ") + candidate;
  throw UsageError(fmt::format("{}: '{}' is not a known one{}", what, name,
                               near ? fmt::format("; did you mean '{}'?", *near) : ""),
                   all);
}

}  // namespace infermeter
