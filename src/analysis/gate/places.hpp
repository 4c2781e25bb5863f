// Load points of saved results: the same place in both is judged, by all runs of each side at it. Pure; any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// What makes a load the same one for people: its loop, how much, shape and stages.
struct LoadPlace {
  bool open_loop = false;
  double amount = 0;  // concurrency or rate
  std::string arrival, replay, stages, shape;
  bool operator==(const LoadPlace&) const = default;
};

LoadPlace place_of(const LoadPoint& load);
/// "concurrency 8", "rate 10", "concurrency 8, shape 1k/128".
std::string place_name(const LoadPoint& load);

/// One measurement at a place.
struct PlacedRun {
  const RunResult* result = nullptr;
  const PointResult* point = nullptr;
};

/// One place and the runs of one side at it, in the order of the results.
struct PlacedRuns {
  LoadPlace place;
  std::string name;
  std::vector<PlacedRun> runs;
};

/// In the order of the first result's points.
std::vector<PlacedRuns> runs_by_place(std::span<const RunResult> results);

}  // namespace infermeter
