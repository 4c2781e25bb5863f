// The live view of a run: counters of all workers → figures → a block, a line or a JSON object. The figures
// are for the eye; the result is made from records.
#pragma once

#include <deque>
#include <string>

#include "engine/session/counters.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct ProgressFigures {
  std::string label;
  Stage stage = Stage::warmup;
  nanoseconds elapsed{};             // of the measured phase (of the warm-up while that lasts)
  std::optional<nanoseconds> total;  // asked for
  std::optional<std::uint64_t> requests;
  std::int64_t in_flight = 0;
  std::uint64_t done = 0, errors = 0;  // done: measured ones
  double requests_per_s = 0, tokens_per_s = 0, ttft_ms = 0, itl_ms = 0;
};

/// Makes figures of the workers' counters, call by call; rates are over the measured phase so far.
class ProgressMeter {
 public:
  ProgressMeter(const std::deque<WorkerCounters>& workers, const Load& load, Instant t0)
      : workers_(workers), load_(load), t0_(t0) {}
  ProgressFigures read(Instant now);

 private:
  const std::deque<WorkerCounters>& workers_;
  const Load& load_;
  Instant t0_;
  std::optional<Instant> measuring_since_;
  std::uint64_t events_before_ = 0;
};

/// Two lines of at most `width` columns, without a newline at the end.
std::string progress_block(const ProgressFigures& figures, unsigned width, bool ascii);
/// One plain line.
std::string progress_line(const ProgressFigures& figures);
/// One JSON object on one line.
std::string progress_json(const ProgressFigures& figures);

struct ProgressStyle {
  Progress kind = Progress::none;  // bar, plain, json or none: `automatic` is resolved before
  unsigned width = 80;
  bool ascii = false;
  std::string label;  // "2/5  " of a sweep's points, a target's name: before the figures
};

/// Writes to standard error: the block in place, a plain or JSON line every 30 s and at each change of stage.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(const ProgressStyle& style) : style_(style) {}
  void show(ProgressFigures figures, Instant now);
  /// Takes the live block away, so that what follows starts on a clean line.
  void clear();

 private:
  void show_block(const ProgressFigures& figures);
  void show_line(const ProgressFigures& figures, Instant now);

  ProgressStyle style_;
  bool drawn_ = false;
  std::optional<Stage> last_stage_;
  std::optional<Instant> last_line_;
};

}  // namespace infermeter
