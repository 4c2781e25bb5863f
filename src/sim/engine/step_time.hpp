// The duration of one engine step (METHOD's roofline, max(compute, memory), plus overheads), and the engines'
// random draws: the spread of a duration, and how many proposed tokens a verification accepts. Pure; any
// thread.
#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "infermeter/base/clock.hpp"
#include "sim/engine/engine_config.hpp"

namespace infermeter::sim {

/// The work of one step; contexts and moves are in tokens of KV cache.
struct StepLoad {
  std::uint32_t tokens = 0;      // computed in this step
  double token_context = 0;      // Σ over those tokens of the context each attends to
  double context = 0;            // Σ over sequences of the context read from device memory
  double offloaded_context = 0;  // the same, read over the bus
  double moved = 0;              // moved to or from the offload store
  std::uint32_t draft_passes = 0;
};

class StepTime {
 public:
  /// Throws UsageError for a device whose TFLOPS are unknown.
  explicit StepTime(const EngineConfig& config);

  /// max(FLOPs / (F·e_f), bytes / (BW·e_b)) + draft passes + all-reduce + bus + overhead.
  nanoseconds of(const StepLoad& load) const;

 private:
  double compute_seconds(const StepLoad& load) const;
  double memory_seconds(const StepLoad& load) const;
  double all_reduce_seconds(std::uint32_t tokens) const;

  EngineConfig config_;
  double flops_per_second_;  // of all devices, achieved
  double bytes_per_second_;
  double bus_bytes_per_second_ = 0;
  double kv_bytes_;
};

/// `mean` times a lognormal factor of mean 1 and coefficient of variation `cv`; if cv = 0, `mean` itself,
/// without drawing a number.
nanoseconds jittered(nanoseconds mean, double cv, Random& random);

/// `mean` times `scale`, to the nearest nanosecond.
nanoseconds scaled(nanoseconds mean, double scale);

/// Each of `drafts` proposals is accepted with probability `alpha` while all before it were (truncated
/// geometric; with the token that verification itself yields, the mean is (1 − α^(γ+1)) / (1 − α) a step,
/// Leviathan et al., arXiv 2211.17192).
std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random);

}  // namespace infermeter::sim
