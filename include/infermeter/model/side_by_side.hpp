// Two or more results beside each other, the first one the reference: plain values. Made by analysis/compare,
// rendered by report/compare_table; no verdict, which is the gate's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

enum class ChangeWord : std::uint8_t { better, worse, same, unknown };
template <>
inline constexpr std::array<std::string_view, 4> kNamesOf<ChangeWord>{"better", "worse", "same", "unknown"};

/// One figure of one result, and its change against the reference's.
struct ComparedCell {
  std::optional<double> value;      // in the row's unit; of several runs their geometric mean
  std::optional<double> low, high;  // its own 95 % interval
  /// +0.2 is 20 % more than the reference, in the figure's own direction; 95 % interval, or the one bound
  /// that the data support.
  std::optional<double> change, change_low, change_high;
  ChangeWord word = ChangeWord::unknown;
  std::string reason;  // why there is no change or no word: "no interval", "per event", "0 before"
};

struct ComparedRow {
  std::string metric, statistic;  // "ttft", "p50"; "output_throughput", ""
  std::string unit;               // as FigureUnit is spelt: "ms", "tokens/s", "requests/s", "share", "$", …
  bool more_is_better = false;
  bool absolute = false;            // a share: changes are differences, +0.01 is one point more
  bool events = false;              // counted per event in every result, for want of token counts
  double margin = 0.03;             // a change that is surely within it is none
  std::vector<ComparedCell> cells;  // one a result; the reference's has no change
};

/// One load at one target, in every result that measured it.
struct ComparedPoint {
  std::string target;                           // its name; empty where there is only one
  std::vector<std::optional<LoadPoint>> loads;  // one a result; nothing: not measured
  std::vector<std::uint32_t> runs;              // how often each measured it
  bool loads_differ = false;  // each result has only this one load: they stand together all the same
  bool whole_rates = false;   // rates are over the whole run: not every result has a steady window
  std::vector<ComparedRow> rows;
};

/// What differs between results, as each has it; empty: not known.
struct ComparedFact {
  std::string name;                 // "kernel"
  std::vector<std::string> values;  // one a result
};

struct ComparedResult {
  std::string name;    // as it was given
  std::string source;  // "vLLM bench"; empty: our own
  std::string model, start;
  bool partial = false, trustworthy = true;
  std::vector<std::string> doubts;               // why it is not to be trusted, a sentence each
  std::vector<std::string> differences_of_kind;  // from the reference, a sentence each
};

struct SideBySide {
  std::vector<ComparedResult> results;  // ≥ 2
  std::vector<ComparedFact> surroundings, traffic;
  std::vector<ComparedPoint> points;     // in the order of the reference
  std::vector<ComparedPoint> unmatched;  // measured by one alone; without rows
  std::vector<std::string> notes;        // how the figures are to be read
};

}  // namespace infermeter
