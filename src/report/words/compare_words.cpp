#include "report/words/compare_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kLabels{
    {{"client_queue", "Client queue"},
     {"ttft_response", "TTFT intended"},
     {"ttft", "TTFT"},
     {"ttfo", "TTFO"},
     {"itl", "ITL"},
     {"icl", "ICL"},
     {"tpot", "TPOT"},
     {"tps", "TPS"},
     {"chars_per_second", "Text"},
     {"e2e_response", "E2E intended"},
     {"e2e", "E2E"},
     {"output_throughput", "Output"},
     {"request_throughput", "Requests"},
     {"goodput", "Goodput"},
     {"slo_attainment", "SLOs met"},
     {"error_rate", "Errors"},
     {"cost_per_1k", "1,000 answers"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kUnits{{{"tokens/s", "tok/s"},
                                                                               {"requests/s", "req/s"},
                                                                               {"vectors/s", "/s"},
                                                                               {"chars/s", "chr/s"},
                                                                               {"money", "$"}}};

constexpr std::string_view kNegligible = "negligible";

template <typename Names>
std::string looked_up(const Names& names, std::string_view name) {
  const auto it = std::ranges::find(names, name, [](const auto& pair) { return pair.first; });
  return std::string(it == names.end() ? name : it->second);
}

/// Per cent or points with a sign; no decimals from a hundred on.
std::string signed_number(double share) {
  const double number = 100 * share;
  const std::string text = fmt::format("{:.{}f}", std::abs(number), std::abs(number) < 99.95 ? 1 : 0);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (zero ? "" : number < 0 ? "−" : "+") + text;
}

bool is_compared(const ComparedCell& cell) { return cell.change.has_value(); }

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string letter_of(std::size_t result) {
  constexpr std::size_t kLetters = 26;
  if (result < kLetters) return std::string(1, static_cast<char>('A' + result));
  return std::to_string(result + 1);
}

std::string row_label(const ComparedRow& row) {
  std::string label = looked_up(kLabels, row.metric);
  if (row.events && row.metric == "tpot") label = "Event time";
  if (row.metric == "item_throughput") label = "Vectors";
  return row.statistic.empty() ? label : label + " " + row.statistic;
}

ShownUnit shown_unit(const std::vector<const ComparedRow*>& rows) {
  const ComparedRow& first = *rows.front();
  if (first.unit == "share") return {"%", 100};
  if (first.events && first.unit == "tokens/s") return {"evt/s", 1};
  if (first.unit != "ms") return {looked_up(kUnits, first.unit), 1};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto* row : rows) {
    for (const auto& cell : row->cells) {
      if (!cell.value) continue;
      least = std::min(least, *cell.value);
      most = std::max(most, *cell.value);
    }
  }
  const bool seconds = least >= 1000 || (most >= 10'000 && least >= 100);
  return seconds ? ShownUnit{"s", 1e-3} : ShownUnit{"ms", 1};
}

std::string value_text(const ComparedCell& cell, const ShownUnit& unit) {
  if (!cell.value) return "–";
  if (unit.name == "%") return fmt::format("{:.1f}", *cell.value * unit.scale);
  return unit.name == "$" ? format_number(*cell.value) : figure(*cell.value * unit.scale);
}

std::string own_interval_text(const ComparedCell& cell, const ShownUnit& unit) {
  if (!cell.value || (cell.low && cell.low == cell.high)) return {};
  return sureness({.value = *cell.value, .low = cell.low, .high = cell.high}, unit.scale);
}

std::string change_text(const ComparedRow& row, const ComparedCell& cell) {
  if (cell.reason == kNegligible) return "–";
  if (!cell.change) return cell.reason;
  return signed_number(*cell.change) + (row.absolute ? " pts" : " %");
}

std::string change_interval_text(const ComparedCell& cell) {
  const auto& [low, high] = std::pair(cell.change_low, cell.change_high);
  if (!cell.change || cell.reason == kNegligible || (low && low == high)) return {};
  if (low && high) return fmt::format("({} … {})", signed_number(*low), signed_number(*high));
  if (low) return fmt::format("(≥ {})", signed_number(*low));
  return high ? fmt::format("(≤ {})", signed_number(*high)) : std::string();
}

Span word_of(const ComparedCell& cell) {
  if (!is_compared(cell)) return {};
  switch (cell.word) {
    case ChangeWord::better:
      return {"better", Style::good};
    case ChangeWord::worse:
      return {"worse", Style::bad};
    case ChangeWord::same:
      return {"same", Style::dim};
    case ChangeWord::unknown:
      break;
  }
  return {"unknown", Style::plain};
}

std::string point_title(const ComparedPoint& point) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < point.loads.size(); ++i) {
    if (!point.loads[i]) continue;
    const std::string name = short_name(load_id(*point.loads[i]));
    names.push_back(point.loads_differ ? letter_of(i) + " " + name : name);
    if (!point.loads_differ) break;
  }
  return (point.target.empty() ? "" : point.target + "   ") + joined(names);
}

std::string runs_text(const ComparedPoint& point) {
  const auto [least, most] = std::ranges::minmax(point.runs);
  if (most < 2) return {};
  if (least == most) return fmt::format("{} runs each", most);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < point.runs.size(); ++i) {
    if (point.runs[i] > 0)
      parts.push_back(fmt::format("{} {}", letter_of(i), counted(point.runs[i], "run", "runs")));
  }
  return joined(parts);
}

std::string tally(const SideBySide& compared, std::size_t result) {
  constexpr std::array kOrder{ChangeWord::worse, ChangeWord::better, ChangeWord::same, ChangeWord::unknown};
  std::array<std::uint64_t, kOrder.size()> counts{};
  for (const auto& point : compared.points) {
    for (const auto& row : point.rows) {
      const auto& cell = row.cells[result];
      for (std::size_t i = 0; is_compared(cell) && i < kOrder.size(); ++i)
        counts[i] += cell.word == kOrder[i];
    }
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    if (counts[i] > 0) parts.push_back(fmt::format("{} {}", format_count(counts[i]), name(kOrder[i])));
  }
  return parts.empty() ? "nothing could be compared" : joined(parts);
}

std::string mark_of(const ComparedResult& result) {
  if (!result.trustworthy) return "not trusted";
  if (result.partial) return "partial";
  return result.source;
}

std::vector<std::string> unmatched_sentences(const SideBySide& compared) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    std::vector<std::string> names;
    for (const auto& point : compared.unmatched) {
      if (!point.loads[i]) continue;
      names.push_back(name(PointPlace{.target = point.target, .load = load_id(*point.loads[i])}));
    }
    if (!names.empty()) out.push_back(fmt::format("Only in {}: {}", letter_of(i), joined(names)));
  }
  return out;
}

}  // namespace infermeter
