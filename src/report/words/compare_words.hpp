// The words of a comparison: rows, changes, results. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "infermeter/model/side_by_side.hpp"
#include "report/text/page.hpp"

namespace infermeter {

/// "A", "B", … of a result; "27" behind "Z".
std::string letter_of(std::size_t result);
/// "TTFT p50", "Output".
std::string row_label(const ComparedRow& row);

/// One unit for all values of some rows of a kind.
struct ShownUnit {
  std::string name;
  double scale = 1;
};
ShownUnit shown_unit(const std::vector<const ComparedRow*>& rows);
/// The value in that unit; "–" where there is none.
std::string value_text(const ComparedCell& cell, const ShownUnit& unit);
/// "±1.2", "≥137"; empty without an interval.
std::string own_interval_text(const ComparedCell& cell, const ShownUnit& unit);

/// "+19.8 %", "−0.4 pts"; the reason where nothing was compared: "per event".
std::string change_text(const ComparedRow& row, const ComparedCell& cell);
/// "(+16.1 … +23.0)", "(≥ +3.2)"; empty without an interval.
std::string change_interval_text(const ComparedCell& cell);
/// Nothing where nothing was compared.
Span word_of(const ComparedCell& cell);

/// "concurrency 32", with its target in front; where loads differ, each result's own.
std::string point_title(const ComparedPoint& point);
/// "3 runs each", "A 3 runs, B 1 run"; empty where each was measured once.
std::string runs_text(const ComparedPoint& point);
/// "2 worse, 1 better, 12 same, 3 with too few requests" of one result's figures.
std::string tally(const SideBySide& compared, std::size_t result);

/// What a reader must know about the figures: definitions, words, single runs. A paragraph each.
std::vector<std::string> reading_notes(const SideBySide& compared);
/// "partial", "not trusted", "vLLM bench": the text beneath a result's head.
std::string mark_of(const ComparedResult& result);
/// "B has no TPOT, TPS: TPOT is left out: …": why a figure stands in no value though its load was measured.
std::vector<std::string> left_out_sentences(const SideBySide& compared);
/// Loads that only one result has: "Only in A: concurrency 64".
std::vector<std::string> unmatched_sentences(const SideBySide& compared);

}  // namespace infermeter
