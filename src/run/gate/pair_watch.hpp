// Follows a gate pair by pair: how the decision stands, and whether another pair is needed. Private to
// src/run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/prepare/preflight.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/run/gate.hpp"

namespace infermeter {

class PairWatch {
 public:
  PairWatch(const GatePlan& gate, const Say& say);

  /// Its budget begins now: no pair is begun that would probably end after it.
  void begin() { begun_ = now(); }
  /// Judges the pairs so far, and tells how they stand; true: it is decided, or no pair may follow.
  bool look(const RunResult& run);
  /// As it stands after the last pair: no other will follow.
  Verdict end(const RunResult& run) const;
  /// Why the pairs cannot be compared at all, or empty.
  const std::string& not_alike() const { return not_alike_; }

 private:
  bool time_is_up(std::size_t pairs) const;
  std::string differences(const RunResult& run, const GatePair& pair) const;
  void tell(std::size_t counted);

  const GatePlan& gate_;
  const Say& say_;
  Instant begun_;
  Verdict verdict_;
  std::string not_alike_;
  bool out_of_time_ = false;
};

/// Why two servers are not to be compared (another model, another endpoint); empty where they are.
std::string different_servers(const TargetFacts& baseline, const TargetFacts& candidate);

/// The pairs of a live gate: both targets of each point that has been measured at both.
std::vector<GatePair> pairs_of(const RunResult& run);

}  // namespace infermeter
