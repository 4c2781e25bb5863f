// Load that changes during a run (--stages), as in k6: each stage ramps linearly from the previous target (0
// at first) to its own over its duration; a stage with the same target as before holds it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `60s:20,2m:20,30s:0`: duration:target. Throws UsageError naming `origin` (the option) for an invalid
/// stage, for the opposite order, and if no stage holds a target above 0, because nothing would be measured.
std::vector<LoadStage> parse_stages(std::string_view origin, std::string_view text);

nanoseconds total_length(const std::vector<LoadStage>& stages);
double highest_target(const std::vector<LoadStage>& stages);

/// The target at a time since the start; from the end on, the last target.
double target_at(const std::vector<LoadStage>& stages, nanoseconds at);
/// The same as a number of requests in flight.
std::uint32_t slots_at(const std::vector<LoadStage>& stages, nanoseconds at);
/// The next time at which slots_at may change: later than `at`, never too late; nothing if it stays the same.
std::optional<nanoseconds> next_slots_change(const std::vector<LoadStage>& stages, nanoseconds at);

/// Whether the load changes at `at` or is 0: such requests are not part of the measured load.
bool in_ramp(const std::vector<LoadStage>& stages, nanoseconds at);

/// A stage as a straight line in time. Private to src/workload; pure.
struct StageLine {
  nanoseconds start{}, end{};  // half-open
  double from = 0, to = 0;     // targets
  /// Steady load, which is measured; a pause is not steady.
  bool holds() const { return from == to && to > 0; }
  double at(nanoseconds when) const {
    return from + (to - from) * static_cast<double>((when - start).count()) /
                      static_cast<double>((end - start).count());
  }
};

/// Ascending and without gaps. A stage of zero length is a jump: it has no line, and the next one starts at
/// its target.
std::vector<StageLine> stage_lines(const std::vector<LoadStage>& stages);

}  // namespace infermeter
