#include "engine/session/progress.hpp"

#include <algorithm>
#include <array>

namespace infermeter {
namespace {

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

// The run's stage is that of its least advanced worker, so that "draining" means all workers.
Stage joint_stage(const std::deque<WorkerCounters>& workers) {
  Stage least = Stage::ended;
  for (const auto& worker : workers) least = std::min(least, worker.stage.load(std::memory_order_relaxed));
  return least;
}

}  // namespace

ProgressFigures ProgressMeter::read(Instant now) {
  ProgressFigures f;
  f.stage = joint_stage(workers_);
  f.total = load_.duration;
  f.requests = load_.requests;
  std::uint64_t events = 0, tokens = 0, counted = 0;
  std::array<std::uint64_t, 512> ttft{}, itl{};
  for (const auto& worker : workers_) {
    f.in_flight += worker.in_flight.load(std::memory_order_relaxed);
    f.done += worker.measured_done.load(std::memory_order_relaxed);
    f.errors += worker.errors.load(std::memory_order_relaxed);
    events += worker.events.load(std::memory_order_relaxed);
    tokens += worker.output_tokens.load(std::memory_order_relaxed);
    counted += worker.counted_events.load(std::memory_order_relaxed);
    worker.ttft.add_to(ttft);
    worker.itl.add_to(itl);
  }
  if (f.stage >= Stage::measuring && !measuring_since_) {
    measuring_since_ = now;
    events_before_ = events;
  }
  const double per_event = counted > 0 ? static_cast<double>(tokens) / static_cast<double>(counted) : 1.0;
  const Instant since = measuring_since_.value_or(t0_);
  f.elapsed = std::max(now - since, nanoseconds(0));
  if (const double s = seconds(f.elapsed); s > 0) {
    f.requests_per_s = static_cast<double>(f.done) / s;
    f.tokens_per_s = per_event * static_cast<double>(events - events_before_) / s;
  }
  f.ttft_ms = live_median_ms(ttft);
  f.itl_ms = live_median_ms(itl) / std::max(per_event, 1.0);
  return f;
}

}  // namespace infermeter
