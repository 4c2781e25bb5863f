// Two or more results side by side, the first one the reference: plain values. Made by analysis/compare,
// rendered by report/compare_table. It contains no verdict; that is the gate's.
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
  /// that the data supports.
  std::optional<double> change, change_low, change_high;
  ChangeWord word = ChangeWord::unknown;
  std::string reason;  // why there is no change or no word: "no interval", "per event", "0 before"
};

struct ComparedRow {
  std::string metric, statistic;  // "ttft", "p50"; "output_throughput", ""
  std::string unit;               // as FigureUnit spells it: "ms", "tokens/s", "requests/s", "share", "$", …
  bool more_is_better = false;
  bool absolute = false;            // a share: changes are differences, +0.01 is one point more
  bool events = false;              // counted per event in every result, because there are no token counts
  double margin = 0.03;             // a change that is surely smaller counts as none
  std::vector<ComparedCell> cells;  // one per result; the reference's has no change
};

/// One load at one target, in every result that measured it.
struct ComparedPoint {
  std::string target;                           // its name; empty if there is only one
  std::vector<std::optional<LoadPoint>> loads;  // one per result; nothing: not measured
  std::vector<std::uint32_t> runs;              // how often each measured it
  bool loads_differ = false;  // each result has only this one load, so they are compared anyway
  bool whole_rates = false;   // rates are over the whole run: not every result has a steady window
  std::vector<ComparedRow> rows;
};

/// Differences between results, with the value of each; empty: unknown.
struct ComparedFact {
  std::string name;                 // "kernel"
  std::vector<std::string> values;  // one per result
};

struct ComparedResult {
  std::string name;    // as it was given
  std::string source;  // "vLLM bench"; empty: our own
  std::string model, start;
  bool partial = false, trustworthy = true;
  std::uint64_t requests = 0, failed = 0;        // measured ones at all its loads
  HealthState health = HealthState::good;        // the worst of its loads
  std::vector<std::string> doubts;               // why it is not to be trusted, a sentence each
  std::vector<std::string> differences_of_kind;  // differences from the reference, a sentence each
};

struct SideBySide {
  std::vector<ComparedResult> results;  // ≥ 2
  std::vector<ComparedFact> surroundings, traffic;
  std::vector<ComparedPoint> points;     // in the order of the reference
  std::vector<ComparedPoint> unmatched;  // measured by only one result; without rows
  std::vector<std::string> notes;        // notes for reading the figures
};

}  // namespace infermeter
