#include "analysis/gate/places.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace infermeter {

LoadPlace place_of(const LoadPoint& load) {
  return {.open_loop = load.open_loop,
          .amount = load.open_loop ? load.rate : load.concurrency,
          .arrival = std::string(load.arrival == Arrival::trace ? name(load.arrival) : ""),
          .replay = load.replay,
          .stages = load.stages,
          .shape = load.shape};
}

std::string place_name(const LoadPoint& load) {
  std::string name = load.arrival == Arrival::trace ? "trace" : load.open_loop ? "rate" : "concurrency";
  if (!load.replay.empty()) name += " " + load.replay;
  if (!load.stages.empty()) {
    name += " stages " + load.stages;
  } else if (load.arrival != Arrival::trace) {
    name += fmt::format(" {:.6g}", load.open_loop ? load.rate : load.concurrency);
  }
  return load.shape.empty() ? name : name + ", shape " + load.shape;
}

std::vector<PlacedRuns> runs_by_place(std::span<const RunResult> results) {
  std::vector<PlacedRuns> places;
  for (const auto& result : results) {
    for (const auto& point : result.points) {
      const auto place = place_of(point.load);
      auto it = std::ranges::find(places, place, &PlacedRuns::place);
      if (it == places.end())
        it = places.insert(places.end(), {.place = place, .name = place_name(point.load), .runs = {}});
      it->runs.push_back({&result, &point});
    }
  }
  return places;
}

}  // namespace infermeter
