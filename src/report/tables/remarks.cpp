#include "report/tables/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "model/load.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/sections.hpp"

namespace infermeter {
namespace {

void add(std::vector<Remark>& remarks, const std::string& kind, const std::string& text,
         const PointResult& point) {
  auto it = std::ranges::find(remarks, kind, &Remark::kind);
  if (it == remarks.end()) it = remarks.insert(it, {kind, text, {}});
  it->points.push_back(&point);
}

std::string reasons_of(const PointResult& point) {
  std::string text;
  for (const auto& check : point.validity.checks) {
    if (check.state == CheckState::failed)
      append_reason(text, fmt::format("{}: {}", name(check.kind), sentence_of(check)));
  }
  return text;
}

std::string doubt_of(const PointResult& point) {
  if (!point.has_figures()) return std::string("nothing was measured: ") + why_nothing(point);
  return point.validity.trustworthy ? "" : "not to be trusted: " + reasons_of(point);
}

/// The pair does not count, and the verdict's notes give the reason.
bool is_set_aside(const RunResult& result, const PointResult& point) {
  if (result.target_order != TargetOrder::pairs || !result.verdict || !result.verdict->trustworthy)
    return false;
  const auto& units = result.verdict->units;
  const auto it = std::ranges::find(units, point.load.run, &GateUnit::number);
  return it != units.end() && !it->set_aside.empty();
}

void append(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

}  // namespace

Points measured_points(const RunResult& result) {
  Points points;
  for (const auto& point : result.points) {
    if (was_measured(point)) points.push_back(&point);
  }
  return points;
}

Points counted_points(const RunResult& result) {
  Points points = measured_points(result);
  std::erase_if(points, [&](const PointResult* point) { return is_set_aside(result, *point); });
  return points;
}

std::string places_of(const RunResult& result, const Points& points) {
  if (points.size() == measured_points(result).size()) return "all points";
  return points_named(result, points);
}

std::vector<Remark> warnings_of(const RunResult& result) {
  std::vector<Remark> warnings;
  for (const auto* point : measured_points(result)) {
    for (const auto& check : point->validity.checks) {
      if (check.state == CheckState::warning)
        add(warnings, std::string(name(check.kind)),
            fmt::format("{}: {}", name(check.kind), sentence_of(check)), *point);
    }
  }
  return warnings;
}

std::vector<Remark> findings_of(const RunResult& result) {
  std::vector<Remark> findings;
  for (const auto& point : result.points) {
    for (const auto& finding : point.findings) add(findings, finding.id, finding.text, point);
  }
  return findings;
}

std::string words_of(const RunResult& result, const Remark& remark) {
  if (result.points.size() < 2) return remark.text;
  return fmt::format("{} ({})", remark.text, places_of(result, remark.points));
}

std::string lost_words(const RunResult& result) {
  if (result.lost_records == 0) return {};
  return fmt::format("{} could not be written to requests.jsonl: reports of the folder lack {}",
                     counted(result.lost_records, "record", "records"),
                     result.lost_records == 1 ? "it" : "them");
}

std::string why_incomplete(const RunResult& result) {
  std::string text = lost_words(result);
  if (!result.complete && text.empty() && result.ended_early.empty())
    text = "the run was killed or not saved: only finished requests are included";
  if (result.interrupted) append(text, "the run was interrupted");
  if (!result.ended_early.empty()) append(text, "ended early: " + result.ended_early);
  for (const auto& target : result.targets) {
    if (!target.ended_early.empty() && target.ended_early != result.ended_early)
      append(text,
             fmt::format("{}ended early: {}", result.targets.size() > 1 ? target_name(target) + " " : "",
                         target.ended_early));
  }
  if (!result.sweep_ended.empty()) append(text, "the sweep ended early: " + result.sweep_ended);
  return text;
}

std::vector<std::string> doubts_of(const RunResult& result) {
  if (measured_points(result).empty()) return {"nothing was measured: no request ended"};
  std::vector<std::string> doubts;
  for (const auto* point : counted_points(result)) {
    const std::string doubt = doubt_of(*point);
    if (doubt.empty()) continue;
    const std::string name = result.points.size() > 1 ? points_named(result, {point}) : "";
    doubts.push_back(name.empty() ? doubt : fmt::format("{}: {}", name, doubt));
  }
  return doubts;
}

std::string main_figures(const PointResult& point) {
  std::string text;
  const Figure* before = nullptr;
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::markdown, {&point})) {
    const Estimate estimate = shown_estimate(point, *figure, at.statistic);
    if (!estimate.value) continue;
    std::string words = in_unit(*estimate.value, figure->unit);
    if (figure->is_distribution()) {
      words = fmt::format("{} {}", at.statistic, words);
      if (figure != before) words = fmt::format("{} {}", figure->label, words);
    } else if (figure->head == symbol(figure->unit)) {
      words.append(figure->under.empty() ? "" : " ").append(figure->under);
    } else {
      words = fmt::format("{} {}", figure->brief(), words);
    }
    append(text, words);
    before = figure;
  }
  append(text, fmt::format("{} of {} ok", format_count(point.ok), format_count(point.requests)));
  return text;
}

}  // namespace infermeter
