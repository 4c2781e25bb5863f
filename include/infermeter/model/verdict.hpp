// The verdict of a gate or of a set of assertions: plain values that every reporter renders and none changes.
// Made by analysis (assertions, gate); verdict.json contains exactly this value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/model/names.hpp"

namespace infermeter {

enum class Decision : std::uint8_t { pass, fail, undecided };
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<Decision>{"pass", "fail", "undecided"};

/// What a judgement is about.
enum class JudgementKind : std::uint8_t {
  assertion,  // --assert: a figure against a limit
  change,     // candidate against baseline
  guard,      // a hard limit without statistics
};
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<JudgementKind>{"assert", "change", "guard"};

/// What a verdict is based on.
enum class Basis : std::uint8_t { assertions, pairs, runs };
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<Basis>{"assertions", "pairs", "runs"};

struct Judgement {
  JudgementKind kind = JudgementKind::assertion;
  Decision decision = Decision::pass;
  std::string text;   // "ttft.p95 < 500ms"; of a change or guard the figure alone: "ttft.p50", "error_rate"
  std::string where;  // "candidate, concurrency 8"; empty if there is only one place
  std::optional<std::uint32_t> point, target;  // of the run's targets, if it is about one
  std::string unit;                            // of value, low, high and limit: "ms", "share", "tokens/s", …
  bool relative = false;  // they are changes: +0.2 is 20 % more (in the figure's own direction)
  std::optional<double> value, low, high, limit;
  std::optional<double> baseline,
      candidate;               // of a change: the medians of the runs, in the figure's own unit
  bool limit_follows = false;  // from another figure, as in `goodput >= 0.99 * request_throughput`: the text
                               // does not say the limit
  bool by_interval = false;    // the interval decided, not only the value
  std::string reason;          // one sentence: the reason; empty where the figures suffice
  std::string needed;          // what would settle it: "about 2,000 requests"; else empty
};

/// The figures of one pair or run of a gate, by gated metric.
struct GateUnit {
  std::uint32_t number = 1;                                            // of the pair (or run), from 1
  std::string set_aside;                                               // why it does not count, or empty
  std::vector<std::pair<std::string, std::optional<double>>> changes;  // ln(candidate / baseline)
};

struct Verdict {
  Decision decision = Decision::pass;
  bool trustworthy = true;  // false: exit 4, whatever was decided
  int exit_code = 0;        // base/errors.hpp: the exit code of the command if nothing else ends it
  Basis basis = Basis::assertions;
  std::string ended;                  // "decided after 6 of at most 16 pairs"; empty for assertions
  std::vector<Judgement> judgements;  // failed ones first, then undecided, then passed
  std::vector<GateUnit> units;        // of a gate
  std::vector<std::string> notes;     // notes: a forced comparison, excluded pairs, the rule
};

}  // namespace infermeter
