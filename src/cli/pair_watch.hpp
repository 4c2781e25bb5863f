// Follows a gate pair by pair: how the decision stands, and whether another pair is needed. Private to
// src/cli.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"
#include "infermeter/engine/preflight.hpp"
#include "options.hpp"

namespace infermeter {

class PairWatch {
 public:
  /// Its budget begins now: no pair is begun that would probably end after it.
  PairWatch(const GateRequest& request, const Say& say);

  /// Judges the pairs so far, and tells how they stand; true: it is decided, or no pair may follow.
  bool look(const RunResult& run);
  /// As it stands; `at_end` of what look() last saw.
  const Verdict& verdict() const { return verdict_; }
  /// Why the pairs cannot be compared at all, or empty.
  const std::string& not_alike() const { return not_alike_; }

 private:
  bool time_is_up(std::size_t pairs) const;
  void tell(std::size_t counted);

  const GateRequest& request_;
  const Say& say_;
  Instant begun_;
  Verdict verdict_;
  std::string not_alike_;
};

/// The pairs of a live gate: both targets of each point that has been measured at both.
std::vector<GatePair> pairs_of(const RunResult& run);

}  // namespace infermeter
