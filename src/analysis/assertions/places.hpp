// The places where an assertion is checked: the load points and targets in its scope, or one class of traffic
// there. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/figures/estimate.hpp"
#include "analysis/runs/run_records.hpp"
#include "model/load.hpp"

namespace infermeter {

/// One place. The run and its records must outlive it.
struct AssertionPlace : FigurePlace {
  PointPlace where;
};

/// `records`: warm-up too. In the order of the run's points; none where nothing is in scope.
std::vector<AssertionPlace> places_of(const Threshold& assertion, const RunResult& run,
                                      const RunPlaces& records);

/// The values that a key of a scope can have in this run: "a, b" of target; empty where it has none.
std::string known_places(const RunResult& run, std::string_view key);

}  // namespace infermeter
