#include "report/words/compare_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "infermeter/base/units.hpp"
#include "infermeter/model/figures.hpp"
#include "report/tables/figures.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kNegligible = "negligible";
constexpr std::string_view kTooFew = "too few";  // requests; the whole does not fit into 80 columns

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

template <typename Holds>
bool any_row(const SideBySide& compared, Holds holds) {
  return std::ranges::any_of(
      compared.points, [&](const ComparedPoint& point) { return std::ranges::any_of(point.rows, holds); });
}

/// A figure that the result does not have, and says why.
bool is_left_out(const ComparedCell& cell) { return !cell.value && !cell.reason.empty(); }

bool has_cell(const ComparedRow& row, std::string_view reason) {
  return std::ranges::find(row.cells, reason, &ComparedCell::reason) != row.cells.end();
}

bool single_runs(const SideBySide& compared) {
  return std::ranges::any_of(compared.points, [](const ComparedPoint& point) {
    return std::ranges::find(point.runs, 1u) != point.runs.end();
  });
}

bool of_another_tool(const SideBySide& compared) {
  return std::ranges::any_of(compared.results, [](const auto& result) { return !result.source.empty(); });
}

}  // namespace

std::string letter_of(std::size_t result) {
  constexpr std::size_t kLetters = 26;
  if (result < kLetters) return std::string(1, static_cast<char>('A' + result));
  return std::to_string(result + 1);
}

std::string row_label(const ComparedRow& row) {
  const Figure* figure = find_figure(row.metric);
  std::string label = row.metric;
  if (figure) label = row.events && !figure->event_label.empty() ? figure->event_label : figure->brief();
  return row.statistic.empty() ? label : label + " " + row.statistic;
}

ShownUnit shown_unit(const std::vector<const ComparedRow*>& rows) {
  const ComparedRow& first = *rows.front();
  if (first.unit == "share") return {std::string(symbol(first.unit)), 100};
  if (first.events && first.unit == "tokens/s")
    return {std::string(symbol(FigureUnit::tokens_per_second, true)), 1};
  if (first.unit != "ms") return {std::string(symbol(first.unit)), 1};
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double least = kNone, most = 0;
  for (const auto* row : rows) {
    for (const auto& cell : row->cells) {
      if (!cell.value) continue;
      least = std::min(least, *cell.value);
      most = std::max(most, *cell.value);
    }
  }
  return least < kNone && shown_in_seconds(least, most) ? ShownUnit{"s", 1e-3} : ShownUnit{"ms", 1};
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
  if (!cell.change) return is_left_out(cell) ? "left out" : cell.reason;
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
  return {std::string(kTooFew), Style::plain};
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
    if (counts[i] == 0) continue;
    const bool too_few = kOrder[i] == ChangeWord::unknown;
    parts.push_back(
        fmt::format("{} {}", format_count(counts[i]), too_few ? "with too few requests" : name(kOrder[i])));
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

std::vector<std::string> left_out_sentences(const SideBySide& compared) {
  struct LeftOut {
    std::size_t result;
    std::string why;
    std::vector<std::string> figures, loads;
  };
  std::vector<LeftOut> all;
  const auto add = [](std::vector<std::string>& texts, std::string text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  };
  for (const auto& point : compared.points) {
    for (const auto& row : point.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (!is_left_out(row.cells[i])) continue;
        auto it = std::ranges::find_if(
            all, [&](const LeftOut& one) { return one.result == i && one.why == row.cells[i].reason; });
        if (it == all.end()) it = all.insert(it, LeftOut{i, row.cells[i].reason, {}, {}});
        const Figure* figure = find_figure(row.metric);
        add(it->figures, std::string(figure ? figure->brief() : row.metric));
        add(it->loads, point_title(point));
      }
    }
  }
  std::ranges::stable_sort(all, {}, &LeftOut::result);
  std::vector<std::string> out;
  for (const auto& one : all) {
    const bool everywhere = one.loads.size() == compared.points.size();
    out.push_back(fmt::format("{} has no {}{}: {}", letter_of(one.result), joined(one.figures),
                              everywhere ? "" : " at " + joined(one.loads), one.why));
  }
  return out;
}

std::vector<std::string> reading_notes(const SideBySide& compared) {
  std::vector<std::string> notes{
      "Change against A with its 95 % interval. same: all of it within ±3 % (p95 ±5 %, p99 ±10 %, shares ±1 "
      "point). better, worse: it excludes 0, and the change is larger than that. too few: too few requests "
      "to decide."};
  if (any_row(compared, [](const ComparedRow& row) { return has_cell(row, "no interval"); }))
    notes.emplace_back("too few without an interval: not enough data on one side.");
  if (any_row(compared, [](const ComparedRow& row) {
        return has_cell(row, "per event") || has_cell(row, "per token");
      }))
    notes.emplace_back(
        "per event, per token: one side's server counted no tokens, so the figures cannot be compared.");
  if (any_row(compared, [](const ComparedRow& row) { return row.metric.ends_with("_response"); }))
    notes.emplace_back(
        "incl. delay: from the time that the schedule intended, so the schedule delay is included.");
  if (std::ranges::any_of(compared.points, &ComparedPoint::whole_rates))
    notes.emplace_back("Rates are over the whole run: not every result has a steady window.");
  if (of_another_tool(compared))
    notes.emplace_back(
        "vLLM bench: its TTFT stops at the first event with a choice, the empty role chunk of a chat; its "
        "\"ITL\" is our ICL, between events, the role chunk's gap included; its E2EL ends at the last event "
        "with a choice; its TPOT counts the first event as one token; its rates are over the whole duration. "
        "It does not report whether its client kept up.");
  notes.emplace_back(std::string("The intervals do not include differences between sessions: 3 to 5 % from "
                                 "host to host and day to day. ") +
                     (single_runs(compared) ? "`infermeter run --runs N` repeats each load. " : "") +
                     "`infermeter gate` gives a verdict with an exit code.");
  return notes;
}

}  // namespace infermeter
