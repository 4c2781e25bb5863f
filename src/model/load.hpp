// What makes two loads the same one, and what a load and a place in a run are called. Everything that
// compares loads or names one goes through here. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// The identity of a load: what is asked of a server, without how long, with which seed or how often.
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
/// At least one load. Those that are alike in all but how much as one: "concurrency 1, 8, 32", "10, 20
/// requests/s, Poisson"; else each in full: "concurrency 8, shape 1k/128; concurrency 8, shape 8k/1k".
std::string names(std::span<const LoadId> loads);
std::string short_names(std::span<const LoadId> loads);

/// As result.json has them: "30 s:8,1 m:32", "2x".
std::string stages_text(std::span<const LoadStage> stages);
std::string replay_text(double speed);

/// Where in a run something was measured or judged. What is left out is not said: the run has only one.
struct PointPlace {
  std::string target;  // as target_name
  std::optional<LoadId> load;
  std::uint32_t run = 0;  // 0: measured once
  bool is_pair = false;   // the runs are pairs of a gate
  std::string traffic_class;
};

/// As far as it distinguishes the point from the run's others.
PointPlace place_in(const RunResult& run, const PointResult& point);
/// "b, concurrency 8, run 2, class chat"; empty where nothing is said.
std::string name(const PointPlace& place);

/// Its name; its URL's host where it has none.
std::string target_name(const TargetFacts& target);
/// "target 3" where the run does not have so many.
std::string target_name(const RunResult& run, std::uint32_t target);

/// Each load was measured more than once: runs, or pairs of a gate.
bool has_runs(const RunResult& run);

}  // namespace infermeter
