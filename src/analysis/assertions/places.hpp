// Where an assertion is held: the load points and targets in its scope, or one class of traffic at these.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/assertions/single_bounds.hpp"
#include "analysis/figures/metric_set.hpp"
#include "analysis/runs/run_places.hpp"

namespace infermeter {

/// One of them. The run and its records outlive it.
struct AssertionPlace {
  const PointResult* point = nullptr;
  std::optional<PointResult> of_class;  // the figures of the class alone
  Records all;                          // of the point or of the class, warm-up too
  Records measured;                     // of these the measured ones; all lists in order of intention
  Records answers;                      // of these the ones whose latency counts
  std::optional<Window> window;         // of its rates; see MeasuredPoint
  std::string where;                    // as far as it tells places apart
  const PointResult& figures() const { return of_class ? *of_class : *point; }
  MeasuredPoint numbers() const { return {&figures(), &all, false, window}; }
  /// How `answers` are read.
  MetricRules rules() const;
};

/// `records`: warm-up too. In the order of the run's points; none where nothing is in scope.
std::vector<AssertionPlace> places_of(const Threshold& assertion, const RunResult& run,
                                      const RunPlaces& records);

/// "target b, 8 at a time": what tells this point from the run's others; empty where there are none.
std::string place_words(const RunResult& run, const PointResult& point);

/// The values that a key of a scope can have in this run: "a, b" of target; empty where it has none.
std::string known_places(const RunResult& run, std::string_view key);

}  // namespace infermeter
