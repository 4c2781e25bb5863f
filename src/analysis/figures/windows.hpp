// The window of the run from which rates and concurrency are computed. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// (from, to], in microseconds since the run's start. The start is open, so that the completion that opens a
/// window is not counted in it.
struct Window {
  std::int64_t from_us = 0, to_us = 0;
  double own_share = 1;                   // of it, the time of this target's blocks
  std::span<const TimeSpan> blocks = {};  // these, where only they count; not owned
  bool whole_answers = false;             // only answers that also started in it count as such
  double seconds() const { return static_cast<double>(to_us - from_us) / 1e6 * own_share; }
  bool contains(std::int64_t at_us) const {
    if (at_us <= from_us || at_us > to_us) return false;
    if (blocks.empty()) return true;
    return std::ranges::any_of(blocks, [&](const TimeSpan& block) {
      return at_us > static_cast<std::int64_t>(block.from_us) &&
             at_us <= static_cast<std::int64_t>(block.to_us);
    });
  }
  bool contains(Micros at) const { return at && contains(*at); }
  /// Whether the answer ended in it.
  bool counts(const RequestRecord& record) const {
    return contains(record.end_us) && (!whole_answers || record.started_us.value_or(to_us) >= from_us);
  }
  /// How much of the time from `start` to `end` is in it.
  std::int64_t overlap_us(std::int64_t start, std::int64_t end) const;
  /// Part b of n equal parts.
  Window part(std::int64_t b, std::int64_t n) const;
};

/// Of the common load; never with a part of the warm-up. Closed loop: from completion number C (warm-up
/// included), the first measured start and the last start of the warm-up, whichever is last, to the last
/// start, if at least 3·C requests were measured. Open loop: from the first to the last intended start of the
/// measured phase, without the warm-up of any other class. With ramps: from the first to the last intended
/// start of the longest stretch between them. Whether the load was steady over it is another question
/// (steadiness.hpp).
std::optional<Window> steady_window(const LoadPoint& load, const RunRecords& run);

/// The measured phase from its first start to its last end; nothing if no measured request ended. The answers
/// of a closed loop's warm-up that end just after its start do not count: at its end no answer is cut off in
/// return. In open loop they are the server's backlog.
std::optional<Window> whole_window(const LoadPoint& load, const Records& measured);

/// The same window for a target that took turns with others: only what came in its own turns counts.
Window in_blocks(Window window, std::span<const TimeSpan> blocks);

}  // namespace infermeter
