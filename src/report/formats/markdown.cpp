#include <iterator>
#include <vector>
#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/report/table.hpp"
#include "report/media/media.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/remarks.hpp"
#include "report/tables/sections.hpp"
#include "report/tables/sweep.hpp"
#include "report/words/health_words.hpp"
#include "report/words/load_words.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

constexpr unsigned kFoldedColumns = 100;  // of the terminal page that is folded in
constexpr std::ptrdiff_t kFewPassed = 8;  // at most this many are listed singly

std::string folded(std::string_view summary, std::string_view content) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n</details>\n", summary, content);
}

std::string line_of(const Judgement& judgement) {
  std::string text =
      fmt::format("- **{}** {}", state_word(judgement.decision), markdown_code(judgement.text));
  const std::string figures = figures_words(judgement), remark = remark_words(judgement);
  if (!figures.empty()) text += ": " + markdown_text(figures);
  if (!remark.empty()) text += ". " + markdown_text(remark);
  return text + "\n";
}

std::string lines_of(const Verdict& verdict, bool passed) {
  std::string text;
  for (const auto& judgement : verdict.judgements) {
    if ((judgement.decision == Decision::pass) == passed) text += line_of(judgement);
  }
  return text;
}

std::string lines_of(const Verdict& verdict) {
  const auto passed = std::ranges::count(verdict.judgements, Decision::pass, &Judgement::decision);
  std::string text = lines_of(verdict, false);
  if (passed <= kFewPassed) text += lines_of(verdict, true);
  if (passed > kFewPassed) text += fmt::format("- **pass** {} more\n", passed);
  text += "\n" + exit_words(verdict);
  if (!verdict.ended.empty()) text += " " + markdown_text(as_sentence(verdict.ended));
  for (const auto& note : verdict.notes) text += " " + markdown_text(as_sentence(note));
  text += "\n";
  if (passed > kFewPassed) text += "\n" + folded(fmt::format("{} passed", passed), lines_of(verdict, true));
  if (!verdict.units.empty())
    text += "\n" + folded(verdict.basis == Basis::runs ? "Each run" : "Each pair",
                          markdown_table(units_table(verdict)));
  return text;
}

void add_keys(const RunResult& result, std::vector<PointColumn>& columns) {
  if (!result.ranking.empty())
    columns.push_back({{"#", "", CellKind::words},
                       [&result](const PointResult& p) { return Cell{rank_words(result, p)}; }});
  if (result.targets.size() > 1)
    columns.push_back({{"target", "", CellKind::name},
                       [&result](const PointResult& p) { return Cell{target_name(result, p.target)}; }});
  columns.push_back({{"load", "", CellKind::words},
                     [](const PointResult& p) { return Cell{short_name(load_id(p.load))}; }});
  if (has_runs(result))
    columns.push_back({{std::string(run_word(result)), "", CellKind::written},
                       [](const PointResult& p) { return Cell{fmt::format("{}", p.load.run)}; }});
}

/// An open loop's latencies count from the intended time, and the labels say so: an assertion on `ttft` uses
/// another figure.
void add_main_figures(const RunResult& result, const Points& points, std::vector<PointColumn>& columns) {
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::markdown, points)) {
    columns.push_back(figure_column(*figure, at.statistic, 0,
                                    figure->is_distribution() ? std::string(figure->label) : std::string(),
                                    true));
    if (at.change)
      columns.push_back(difference_column(result, std::string(figure->name), std::string(at.statistic), 0));
  }
}

/// A row per load point and target; empty for a run without figures.
Table main_figures_table(const RunResult& result) {
  Points points;
  for (const auto& load : by_load(result))
    std::ranges::copy_if(load, std::back_inserter(points), [](const auto* p) { return was_measured(*p); });
  if (points.empty()) return {};
  std::vector<PointColumn> columns;
  add_keys(result, columns);
  add_main_figures(result, points, columns);
  columns.push_back(ok_column(0));
  Table table = table_of(columns);
  for (const auto* point : points) table.row(cells_of(columns, *point), point_note(*point));
  return table;
}

std::string title_of(const Verdict& verdict, HealthState health) {
  const std::string_view word = outcome_word(verdict);
  const bool passed = word == state_word(Decision::pass);
  return fmt::format("{}{}", word, passed && health != HealthState::good ? ", but requests failed" : "");
}

std::string title_of(const RunResult& result) {
  if (result.verdict) return title_of(*result.verdict, worst_health(result));
  if (std::ranges::none_of(result.points, &PointResult::has_figures)) return "nothing was measured";
  if (!doubts_of(result).empty()) return "not to be trusted";
  if (worst_health(result) == HealthState::failed) return "half or more of the requests failed";
  if (worst_health(result) == HealthState::degraded) return "requests failed";
  return why_incomplete(result).empty() ? "trustworthy" : "not complete";
}

/// What a reader must know before the figures.
std::string cautions_of(const RunResult& result) {
  std::string text;
  for (const auto* health : complaints_of(result))
    text += fmt::format("- **{}** ({})\n", markdown_text(health_words(result, *health)),
                        markdown_text(failures_words(*health)));
  for (const auto& doubt : doubts_of(result)) text += "- " + markdown_text(as_sentence(doubt)) + "\n";
  const std::string incomplete = why_incomplete(result);
  if (!incomplete.empty()) text += "- " + markdown_text(as_sentence(incomplete)) + "\n";
  for (const auto& warning : warnings_of(result))
    text += "- " + markdown_text(words_of(result, warning)) + "\n";
  return text.empty() ? text : "\n" + text;
}

std::string findings_text(const RunResult& result) {
  const auto findings = findings_of(result);
  if (findings.empty()) return {};
  std::string text;
  for (const auto& finding : findings) text += "- " + markdown_text(words_of(result, finding)) + "\n";
  return "\n" + folded(counted(findings.size(), "finding", "findings"), text);
}

/// The terminal page with everything that it shows.
std::string page_of(RunResult result) {
  result.verdict.reset();  // shown above already
  const TableOptions options{.width = kFoldedColumns};
  return markdown_block(render_header(result, options) + "\n" + render_table(result, options));
}

void add_item(std::string& text, const char* what, const std::string& value) {
  if (!value.empty()) text += fmt::format("- {}: {}\n", what, value);
}

std::string origin_of(const RunResult& result) {
  const Environment& here = result.environment;
  std::string text;
  add_item(text, "infermeter", markdown_text(result.tool_version));
  if (!result.command_line.empty()) add_item(text, "command", markdown_code(result.command_line));
  add_item(text, "started", markdown_text(result.start_utc));
  add_item(text, "run", markdown_text(result.run_id));
  if (!here.cpu.empty())
    add_item(text, "client",
             markdown_text(fmt::format("{}, {}, {}, kernel {}, arrival times by the {} clock", here.cpu,
                                       counted(here.cores, "core", "cores"), here.os, here.kernel,
                                       name(here.timestamp_source.value_or(TimestampSource::user)))));
  for (const auto& [key, value] : result.labels)
    add_item(text, "label", markdown_code(fmt::format("{}={}", key, value)));
  return text;
}

}  // namespace

std::string result_to_markdown(const RunResult& result) {
  std::string text = fmt::format("### infermeter: {}\n", title_of(result));
  if (result.verdict) text += "\n" + lines_of(*result.verdict);
  text += cautions_of(result);
  for (const auto& sentence : result.headline) text += "\n" + markdown_text(sentence) + "\n";
  const Table table = main_figures_table(result);
  if (!table.empty()) text += "\n" + markdown_table(table);
  text += findings_text(result);
  text += "\n" + folded("All figures", page_of(result));
  return text + "\n" + folded("How it was measured", origin_of(result));
}

std::string verdict_to_markdown(const Verdict& verdict) {
  return fmt::format("### infermeter: {}\n\n{}", outcome_word(verdict), lines_of(verdict));
}

}  // namespace infermeter
