#include <algorithm>

#include "report/words/compare_words.hpp"

namespace infermeter {
namespace {

template <typename Holds>
bool any_row(const SideBySide& compared, Holds holds) {
  return std::ranges::any_of(
      compared.points, [&](const ComparedPoint& point) { return std::ranges::any_of(point.rows, holds); });
}

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

std::vector<std::string> reading_notes(const SideBySide& compared) {
  std::vector<std::string> notes{
      "Change against A with its 95 % interval. same: all of it within ±3 % (p95 ±5 %, p99 ±10 %, shares ±1 "
      "point). better, worse: it leaves out 0, and the change is beyond that. unknown: neither."};
  if (any_row(compared, [](const ComparedRow& row) { return has_cell(row, "no interval"); }))
    notes.emplace_back("unknown without an interval: not enough data on one side.");
  if (any_row(compared, [](const ComparedRow& row) {
        return has_cell(row, "per event") || has_cell(row, "per token");
      }))
    notes.emplace_back(
        "per event, per token: one side's server counted no tokens, so that the figures are not of the same "
        "thing.");
  if (any_row(compared, [](const ComparedRow& row) { return row.metric.ends_with("_response"); }))
    notes.emplace_back("intended: counted from the time that the schedule intended.");
  if (std::ranges::any_of(compared.points, &ComparedPoint::whole_rates))
    notes.emplace_back("Rates are over the whole run: not every result has a steady window.");
  if (of_another_tool(compared))
    notes.emplace_back(
        "vLLM bench: its TTFT stops at the first event with a choice, the empty role chunk of a chat; its "
        "\"ITL\" is our ICL, between events, the role chunk's gap included; its E2EL ends at the last event "
        "with a choice; its TPOT counts the first event as one token; its rates are over the whole duration. "
        "It does not tell whether its client kept up.");
  notes.emplace_back(std::string("No interval here holds what differs between sessions, 3 to 5 % from host "
                                 "to host and day to day. ") +
                     (single_runs(compared) ? "`infermeter run --runs N` repeats each load; a" : "A") +
                     " verdict with an exit code is `infermeter gate`.");
  return notes;
}

}  // namespace infermeter
