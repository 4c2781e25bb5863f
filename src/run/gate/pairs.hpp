// The pairs of a live gate: the state of the decision after each, and the counted ones pooled for assertions.
// Private to src/run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/prepare/preflight.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/run/gate.hpp"

namespace infermeter {

/// Follows a gate pair by pair, and says whether another pair is needed.
class PairWatch {
 public:
  PairWatch(const GatePlan& gate, const Say& say);

  /// Its time budget begins now: no pair is started that would probably end after it.
  void begin() { begun_ = now(); }
  /// Judges the pairs so far and reports their state; true: it is decided, or no pair may follow.
  bool look(const RunResult& run);
  /// The verdict after the last pair: no other will follow.
  Verdict end(const RunResult& run) const;
  /// Why the pairs cannot be compared, or empty.
  const std::string& not_alike() const { return not_alike_; }

 private:
  bool time_is_up(std::size_t pairs) const;
  std::string differences(const RunResult& run, const GatePair& pair) const;
  std::string metrics_never_given(std::span<const GatePair> pairs) const;
  void tell(std::size_t counted);

  const GatePlan& gate_;
  const Say& say_;
  Instant begun_;
  Verdict verdict_;
  std::string not_alike_;
  std::string never_given_;  // gated metrics that the first pair shows to be absent
  bool out_of_time_ = false;
};

/// Why two servers must not be compared (another model, another endpoint); empty if they may.
std::string different_servers(const TargetFacts& baseline, const TargetFacts& candidate);

/// The pairs of a live gate: both targets of each point that was measured at both.
std::vector<GatePair> pairs_of(const RunResult& run);

/// The counted runs of a gate's candidate as one point, for assertions.
struct PooledRun {
  RunResult run;  // one point of one target
  std::vector<RequestRecord> records;
};

/// The points of the pairs that count: those not set aside.
std::vector<std::uint32_t> counted_points(const RunResult& gate, const Verdict& verdict);

/// Merges the samples of these points and summarizes them; rates are over the candidate's own blocks. Pure.
PooledRun pooled_candidate(const RunResult& gate, std::span<const RequestRecord> records,
                           const std::vector<std::uint32_t>& points);

}  // namespace infermeter
