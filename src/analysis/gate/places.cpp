#include "analysis/gate/places.hpp"

#include <algorithm>

namespace infermeter {

LoadId gated_load(const LoadPoint& load) {
  LoadId id = load_id(load);
  if (id.open_loop && id.arrival != Arrival::trace) id.arrival = Arrival::poisson;
  id.cv = 1;
  id.max_in_flight = 0;
  return id;
}

std::vector<PlacedRuns> runs_by_place(std::span<const RunResult> results) {
  std::vector<PlacedRuns> places;
  for (const auto& result : results) {
    for (const auto& point : result.points) {
      const LoadId load = gated_load(point.load);
      auto it = std::ranges::find(places, load, &PlacedRuns::load);
      if (it == places.end()) it = places.insert(places.end(), {.load = load, .runs = {}});
      it->runs.push_back({&result, &point});
    }
  }
  return places;
}

}  // namespace infermeter
