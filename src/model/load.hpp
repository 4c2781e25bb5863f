// When two loads are equal, and the names of loads and places in a run. All code that compares or names loads
// uses these functions. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// The identity of a load: what is requested of a server, without duration, seed and number of runs.
struct LoadId {
  bool open_loop = false;
  Arrival arrival = Arrival::closed;
  double amount = 1;  // concurrency, or requests per second; of stages the highest; 0: a trace's
  double cv = 1;      // of the gaps, for gamma
  std::uint32_t max_in_flight = 0;  // of an open loop; 0: no cap
  std::string replay;               // of a trace: "2x"
  std::string stages;               // as given; empty: constant load
  std::string shape;                // "1k/128"; empty: the classes' own lengths
  bool operator==(const LoadId&) const = default;
};

LoadId load_id(const LoadPoint& load);
LoadId load_id(const Load& load);

/// "concurrency 32", "20 requests/s, Poisson", "trace at 2x, at most 8 in flight", "concurrency 8, shape
/// 1k/128".
std::string name(const LoadId& load);
/// Without how requests arrive: "20 requests/s", "concurrency 32, 8k/1k".
std::string short_name(const LoadId& load);
/// At least one load. Loads that differ only in amount are joined: "concurrency 1, 8, 32", "10, 20
/// requests/s, Poisson"; others are listed in full: "concurrency 8, shape 1k/128; concurrency 8, shape
/// 8k/1k".
std::string names(std::span<const LoadId> loads);
std::string short_names(std::span<const LoadId> loads);

/// Measured requests of a closed loop from which it has a steady rate: three a slot.
constexpr std::uint64_t requests_for_steady_rate(std::uint32_t concurrency) { return 3ULL * concurrency; }

/// In the form of result.json: "30 s:8,1 m:32", "2x".
std::string stages_text(std::span<const LoadStage> stages);
std::string replay_text(double speed);

/// Where in a run something was measured or judged. A member is left unset if the run has only one.
struct PointPlace {
  std::string target;  // as target_name
  std::optional<LoadId> load;
  std::uint32_t run = 0;  // 0: measured once
  bool is_pair = false;   // the runs are pairs of a gate
  std::string traffic_class;
};

/// Only the members that distinguish the point from the run's others.
PointPlace place_in(const RunResult& run, const PointResult& point);
/// "b, concurrency 8, run 2, class chat"; empty if no member is set.
std::string name(const PointPlace& place);

/// Of a target of the plan or of the result.
template <typename T>
const std::string& label_or_name(const T& target) {
  return target.label.empty() ? target.name : target.label;
}
/// Its label, else its name, else its URL's host.
std::string target_name(const TargetFacts& target);
/// "target 3" if the run has fewer targets.
std::string target_name(const RunResult& run, std::uint32_t target);

/// Whether each load was measured more than once: runs, or pairs of a gate.
bool has_runs(const RunResult& run);

}  // namespace infermeter
