// The live view of a run: progress figures from the counters of all workers.
#pragma once

#include <deque>
#include <optional>

#include "engine/session/counters.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/progress.hpp"

namespace infermeter {

/// Computes figures from the workers' counters at each call; rates are over the measured phase so far.
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

}  // namespace infermeter
