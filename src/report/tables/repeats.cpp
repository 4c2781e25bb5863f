#include "report/tables/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/tables/columns.hpp"
#include "report/tables/summary_lines.hpp"

namespace infermeter {
namespace {

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return mean > 0 ? std::optional(std::sqrt(squares / (n - 1)) / mean) : std::nullopt;
}

void append_spread(const std::string& name, const Figure& figure, std::string_view statistic,
                   const Points& runs, std::string& text) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto value = shown_estimate(*run, figure, statistic).value) values.push_back(*value);
  }
  if (const auto share = variation(values))
    text += fmt::format("{} {} ±{:.1f} %", text.empty() ? "" : ",", name, 100 * *share);
}

}  // namespace

std::vector<Points> by_load(const RunResult& result) {
  std::vector<Points> groups;
  const bool repeated = has_runs(result);  // else each load point stands alone
  for (const auto& point : result.points) {
    const auto it = std::ranges::find_if(groups, [&](const Points& group) {
      const PointResult& other = *group.front();
      return other.point == point.point || (repeated && load_id(other.load) == load_id(point.load));
    });
    if (it == groups.end()) {
      groups.push_back({&point});
    } else {
      it->push_back(&point);
    }
  }
  for (auto& group : groups)
    std::ranges::stable_sort(group, {}, [](const auto* p) { return std::pair(p->load.run, p->target); });
  return groups;
}

std::string spread_words(const Points& runs) {
  std::string text;
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::markdown, runs)) {
    if (!at.change) continue;
    const std::string name = figure->is_distribution() ? fmt::format("{} {}", base->brief(), at.statistic)
                                                       : std::string(symbol(figure->unit));
    append_spread(name, *figure, at.statistic, runs, text);
  }
  return text.empty() ? text : "between runs:" + text;
}

}  // namespace infermeter
