// A gate of two servers that are measured now, in interleaved pairs: what decides it, and when it ends.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "analysis/gate/gate.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The exit code of an undecided gate: 5, or that of the side which the user prefers.
enum class OnInconclusive { exit5, fail, pass };

struct GatePlan {
  Plan plan;      // two targets, baseline and candidate, TargetOrder::pairs, one point a pair
  GateRule rule;  // its last look is the most pairs
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::optional<nanoseconds> budget;
  bool aa = false;  // both sides are one server: the noise of the pipeline is told
  /// Of baseline and candidate: their servers are started in turn by these. Empty: both run already.
  std::array<std::string, 2> commands;
  bool starts_servers() const { return !commands[0].empty(); }
};

}  // namespace infermeter
