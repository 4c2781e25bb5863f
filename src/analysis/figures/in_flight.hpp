// How many requests are in flight over a window, computed in two ways that must agree, and Little's law on
// them. A request is in flight from `started` to `end`. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/figures/windows.hpp"

namespace infermeter {

/// The summed overlap of the records with the window, in microseconds.
std::int64_t overlap_us(const Records& records, const Window& window);

/// The integral over the window of a counter that each start raises and each end lowers, in microseconds.
std::int64_t counter_integral_us(const Records& records, const Window& window);

double mean_in_flight(const Records& records, const Window& window);

/// Over the time in which any of the records is in flight: pauses between pooled runs do not count. In order
/// of intention; 1 where none has an end.
double mean_in_flight_while_busy(const Records& records);

/// Of a load: the concurrency of a closed loop, else what its measured records show.
double mean_in_flight_of(const LoadPoint& load, const Records& measured);

/// Compares L with λ·W, from the requests that started in the window.
struct LittlesLaw {
  double in_flight = 0;   // L, time-weighted
  double expected = 0;    // λ·W
  double difference = 0;  // |L − λW| / L
  double tolerance = 0;   // 3·W / (window·√L), closed loop W / window + 1 %: what requests cut by the edges
                          // explain; at least 1 %
};

/// Nothing where no request started in the window or none was in flight.
std::optional<LittlesLaw> littles_law(const LoadPoint& load, const Records& records, const Window& window);

}  // namespace infermeter
