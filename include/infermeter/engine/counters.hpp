// What threads share while a run goes on: counters for the progress line and for ending early. Nothing else.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// A fixed histogram of durations, 16 buckets an octave of microseconds (4 % wide), for the live line only:
/// the figures of a result are made from records.
class LiveHistogram {
 public:
  void add(nanoseconds d);
  void add_to(std::array<std::uint64_t, 512>& sums) const;

 private:
  std::array<std::atomic<std::uint32_t>, 512> counts_{};
};

/// The middle of the bucket that holds the median, in milliseconds; 0 if empty.
double live_median_ms(const std::array<std::uint64_t, 512>& sums);

enum class Stage : std::uint8_t { warmup, measuring, draining, ended };

/// Written by one worker, read by the progress line; on a cache line of its own.
struct alignas(64) WorkerCounters {
  std::atomic<std::uint64_t> started{0}, done{0}, measured_done{0}, errors{0}, events{0}, output_tokens{0},
      counted_events{0};
  std::atomic<std::int64_t> in_flight{0};
  std::atomic<std::uint64_t> backoffs{0};
  std::atomic<Stage> stage{Stage::warmup};
  LiveHistogram ttft, itl;
};

/// Whether to go on: set by signals and by the error budget, obeyed by every worker's next step.
struct RunControl {
  std::atomic<bool> stop{false};       // start nothing new, drain
  std::atomic<bool> interrupt{false};  // end what is in flight too
  std::atomic<std::uint64_t> completed{0}, errors{0}, succeeded{0};
};

/// `--max-error-rate`, and the stop of a run none of whose first requests went well.
class ErrorBudget {
 public:
  /// Looks after `looks_after` completed requests, max(concurrency, 10).
  ErrorBudget(RunControl& control, std::optional<double> max_error_rate, std::uint64_t looks_after)
      : control_(control), max_error_rate_(max_error_rate), looks_after_(looks_after) {}
  /// Counts one ended request and sets `stop` if the budget is used up. Any thread.
  void count(Outcome outcome, int status);
  bool all_failed() const;
  bool rate_exceeded() const;

 private:
  RunControl& control_;
  std::optional<double> max_error_rate_;
  std::uint64_t looks_after_;
};

}  // namespace infermeter
