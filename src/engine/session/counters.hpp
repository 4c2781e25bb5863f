// State that threads share during a run: counters for the progress line and for ending early, nothing else;
// and the live view that is read from them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/progress.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// A fixed histogram of durations, 16 buckets an octave of microseconds (4 % wide), for the progress line
/// only: results are computed from records.
class LiveHistogram {
 public:
  void add(nanoseconds d);
  void add_to(std::array<std::uint64_t, 512>& sums) const;

 private:
  std::array<std::atomic<std::uint32_t>, 512> counts_{};
};

/// The middle of the bucket that holds the median, in milliseconds; 0 if empty.
double live_median_ms(const std::array<std::uint64_t, 512>& sums);

/// Written by one worker, read by the progress line; has its own cache line.
struct alignas(64) WorkerCounters {
  std::atomic<std::uint64_t> started{0}, done{0}, measured_done{0}, errors{0}, events{0}, output_tokens{0},
      counted_events{0};
  std::atomic<std::int64_t> in_flight{0};
  std::atomic<Stage> stage{Stage::warmup};
  LiveHistogram ttft, itl;
};

/// Why a target's part of the run ended early.
enum class StopReason : std::uint8_t {
  none,
  all_failed,
  client_limit,
  error_rate,
  rate_limited,
  max_cost,
  max_tokens,
  memory,
  warmup,       // none of its requests ended in time
  unreachable,  // no connection for too long
};

/// The maximum use of one request: all requested tokens.
struct RequestUse {
  std::uint64_t input_tokens = 0, output_tokens = 0;
};

/// A target's use of its limits so far, over all points and blocks.
struct TargetUse {
  std::uint64_t tokens = 0;
  double cost = 0;
};

/// Whether to continue: set by signals and by the budget, obeyed by every worker's next step. One per target.
struct RunControl {
  std::atomic<bool> stop{false};       // start nothing new, drain
  std::atomic<bool> interrupt{false};  // end requests in flight too
  std::atomic<StopReason> reason{StopReason::none};
  std::atomic<std::uint64_t> completed{0}, errors{0}, succeeded{0};
  std::atomic<std::uint64_t> client_limited{0};  // not among the completed ones
  std::atomic<bool> reached{false};              // a request was sent to the server
  std::atomic<std::uint64_t> tokens{0}, cost_millionths{0};
  /// Maximum use of requests in flight: added to past use it never exceeds a limit.
  std::atomic<std::uint64_t> reserved_tokens{0}, reserved_cost_millionths{0};
  /// Maximum use of the first request, if it alone might exceed a limit; else 0.
  std::atomic<std::uint64_t> unaffordable_input{0}, unaffordable_output{0};
  /// --on-rate-limit wait: no request starts before this time, on the clock of `Instant`.
  std::atomic<std::int64_t> hold_until_ns{0};
  std::atomic<std::int64_t> held_ns{0};  // total time held
  std::atomic<bool> measuring{false};    // the common load's warm-up is over
  /// No connection was established since then, on the clock of `Instant`; 0: the last one was.
  std::atomic<std::int64_t> unreachable_since_ns{0};
  /// Workers whose common load is still running: load beside it ends with it.
  std::atomic<std::uint32_t> common_loads{0};

  void stop_because(StopReason why);
  /// No request starts for `length` from `now`.
  void hold(Instant now, nanoseconds length);
  Instant hold_end() const { return Instant(std::chrono::nanoseconds(hold_until_ns.load())); }
  bool held(Instant now) const { return now.time_since_epoch().count() < hold_until_ns; }
};

/// The limits of a target: --max-error-rate, the stop if none of the first requests succeeded or no
/// connection is taken any more, --max-cost, --max-tokens-total, --on-rate-limit.
class RunBudget {
 public:
  struct Limits {
    std::optional<double> max_error_rate;
    std::uint64_t looks_after = 10;  // completed requests before the check: max(concurrency, 10)
    std::optional<double> max_cost;
    std::optional<std::uint64_t> max_tokens;
    Prices prices;  // for max_cost, if the server does not report the cost
    TargetUse before;
    OnRateLimit on_rate_limit = OnRateLimit::count;
    nanoseconds longest_hold = nanoseconds::max();  // a server may ask for days
    /// The run ends if no connection was established for so long; nothing: it goes on.
    std::optional<nanoseconds> unreachable;
  };
  RunBudget(RunControl& control, const Limits& limits);
  /// Called before a request with this maximum use is sent: returns false and stops the target's run if a
  /// limit might be exceeded. Any thread.
  bool reserve(const RequestUse& most);
  /// That request has ended, with any outcome.
  void release(const RequestUse& most);
  /// Counts one ended request and stops the target's run if too many fail. Any thread.
  void count(const RequestRecord& record, Instant now);
  /// Counts a try that will be repeated: only for the server's rate limits.
  void count_try(const RequestRecord& record, Instant now);
  double cost_of(const RequestUse& use) const;
  bool all_failed() const;
  bool rate_exceeded() const;
  /// Includes use from earlier points and blocks.
  TargetUse use() const;

 private:
  void count_outcome(Outcome outcome, int status);
  void count_client_limit();
  void note_connection(const RequestRecord& record, Instant now);
  void count_use(const RequestRecord& record);
  std::uint64_t most_cost(const RequestUse& most) const;
  void obey_rate_limit(const RequestRecord& record, Instant now);

  RunControl& control_;
  Limits limits_;
};

/// Computes figures from the workers' counters at each call; rates are over the measured phase so far.
class ProgressMeter {
 public:
  ProgressMeter(const std::deque<WorkerCounters>& workers, const Load& load, Instant t0)
      : workers_(workers), load_(load), t0_(t0) {}
  ProgressFigures read(Instant now);
  Stage stage() const;

 private:
  const std::deque<WorkerCounters>& workers_;
  const Load& load_;
  Instant t0_;
  std::optional<Instant> measuring_since_;
  std::uint64_t events_before_ = 0;
};

}  // namespace infermeter
