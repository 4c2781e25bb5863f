// Open-loop schedules: computed completely before the run, from a seed, never re-anchored. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// Offsets from the run's start, ascending: first the warm-up's arrivals, then the measured ones.
struct Schedule {
  std::vector<nanoseconds> offsets;
  std::size_t warmup = 0;       // the number of `offsets` in the warm-up
  nanoseconds measured_from{};  // start of the measured phase: end of the warm-up
  nanoseconds measured_to{};    // its end: the duration, or the last arrival if the count ended it
  /// Stretches in which the load changed (--stages), ascending, half-open: their arrivals are Phase::ramp.
  std::vector<std::pair<nanoseconds, nanoseconds>> ramps;
  std::string
      hash;  // 16 hex digits over all offsets: equal for equal schedules, whatever the number of workers

  Phase phase_of(std::size_t index) const;
  /// For a shard: the offsets that belong to it.
  std::size_t measured_count(Shard shard = {}) const;
};

/// Requires load.rate > 0, stages, or a trace. Gaps: constant 1/λ, exponential, or gamma with the load's CV
/// (shape 1/CV²), as in vLLM and AIPerf; a constant schedule starts at 0, the others after their first gap. A
/// warm-up by count ends at the arrival after its last; `requests` and `duration` count from there, and
/// whichever ends first ends the schedule. Deterministic in load.seed. Throws UsageError for more than 50
/// million arrivals.
/// With stages the rate λ(t) is piecewise linear (arrivals of a process of mean gap 1, mapped by the inverse
/// of ∫λ); there is no warm-up, and the stages' total length or `requests` ends the schedule; a stage that
/// holds its target is measured, the others, including pauses, are ramps.
/// With Arrival::trace, `trace` has the time stamps (offsets from its first one, ascending), which are
/// divided by replay_speed and never re-anchored; the schedule ends with the trace at the latest.
Schedule make_schedule(const Load& load, std::span<const nanoseconds> trace = {});

}  // namespace infermeter
