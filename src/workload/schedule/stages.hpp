// Load that changes along a run (--stages), as for k6: each stage ramps linearly from the target before it (0
// at first) to its own over its duration; one whose target is that before it holds it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `60s:20,2m:20,30s:0`: duration:target. Throws UsageError naming `origin` (the option) for a stage it
/// cannot read, for the other order, and where no stage holds a target above 0, as nothing would be measured.
std::vector<LoadStage> parse_stages(std::string_view origin, std::string_view text);

nanoseconds total_length(const std::vector<LoadStage>& stages);
double highest_target(const std::vector<LoadStage>& stages);

/// The target at an instant since the start; the last one's own from the end on.
double target_at(const std::vector<LoadStage>& stages, nanoseconds at);
/// The same as a number of requests in flight.
std::uint32_t slots_at(const std::vector<LoadStage>& stages, nanoseconds at);
/// When slots_at may next be another number than at `at`: later than it, never too late; nothing if it stays.
std::optional<nanoseconds> next_slots_change(const std::vector<LoadStage>& stages, nanoseconds at);

/// The load changes at `at`, or nothing is sent: not a part of the measured load.
bool in_ramp(const std::vector<LoadStage>& stages, nanoseconds at);

/// A stage as a straight line in time. Private to src/workload; pure.
struct StageLine {
  nanoseconds start{}, end{};  // half-open
  double from = 0, to = 0;     // targets
  /// Steady load, which is what is measured; a pause is none.
  bool holds() const { return from == to && to > 0; }
  double at(nanoseconds when) const {
    return from + (to - from) * static_cast<double>((when - start).count()) /
                      static_cast<double>((end - start).count());
  }
};

/// Ascending and without gaps. A stage without length is a jump: it has no line, the next one starts there.
std::vector<StageLine> stage_lines(const std::vector<LoadStage>& stages);

}  // namespace infermeter
