// A gate as one call: two servers measured in interleaved pairs until it is decided, or saved results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/run/measure.hpp"

namespace infermeter {

/// The exit code of an undecided gate: 5, or that of the decision which the user prefers.
enum class OnInconclusive { exit5, fail, pass };

struct GatePlan {
  Plan plan;      // two targets, baseline and candidate, TargetOrder::pairs, one point per pair
  GateRule rule;  // its last look is the maximum number of pairs
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::optional<nanoseconds> budget;
  bool aa = false;  // both sides are one server: the gate reports the noise of the pipeline
  /// Commands that start the servers of baseline and candidate in turn. Empty: both run already.
  std::array<std::string, 2> commands;
  std::uint64_t log_limit = 64'000'000;  // bytes of each started server's output that are kept
  bool starts_servers() const { return !commands[0].empty(); }
};

/// Like measure(), with the same guarantees; the result's verdict is the gate's, with its exit code. The gate
/// is saved as verdict.json too, even where the failure of a server ended it (which throws). Hooks::begin is
/// called before the servers are known.
RunResult gate(const GatePlan& plan, const Hooks& hooks = {});

/// Judges saved results: a candidate against a baseline, by run, or, without a baseline, one candidate
/// against its limits.
struct SavedGatePlan {
  std::vector<std::string> baseline, candidate;  // folders
  GateRule rule;
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::vector<Threshold> asserts;  // of each candidate
  bool assert_point = false;
  std::string directory;  // for verdict.json; empty: results/<UTC time>-gate
};
struct SavedGate {
  Verdict verdict;  // with its exit code
  std::string directory;
};
/// Saves and returns it. Throws Error.
SavedGate gate_saved(const SavedGatePlan& plan);

}  // namespace infermeter
