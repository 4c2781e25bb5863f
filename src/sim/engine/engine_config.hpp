// The two kinds of engine and what each is configured with: for a batching engine device, model and the
// engine's own settings, for a fixed one its times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "infermeter/base/clock.hpp"
#include "model/hardware.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter::sim {

/// Tokens in a block of KV cache, as vLLM has it.
constexpr std::uint32_t kBlockTokens = 16;

/// A small model proposes `gamma` tokens a step, each accepted with probability `alpha` while all before it
/// were. Off while gamma = 0.
struct Speculation {
  double alpha = 0;
  std::uint32_t gamma = 0;
  double draft_share = 0.05;  // the draft model's weights, as a share of the model's active ones
};

/// What a batching engine is configured with.
struct EngineConfig {
  Device device;
  ModelShape model;
  Precision precision = Precision::bf16;
  std::uint32_t tensor_parallel = 1;
  double compute_efficiency = 0.6;  // share of the data sheet's TFLOPS that prefill reaches
  double memory_efficiency = 0.8;   // share of the data sheet's GB/s that decode reaches
  nanoseconds overhead{2'000'000};  // host work per step
  double link_gb_s = 400;           // between devices under tensor parallelism

  std::optional<std::uint64_t> kv_tokens;  // nothing: what fits into the remaining memory
  std::uint32_t max_batched_tokens = 2048;
  std::uint32_t max_seqs = 256;
  double watermark = 0.01;  // share of the blocks that admission keeps free
  bool prefix_cache = true;
  std::optional<double> offload_gb_s;  // nothing: preemption recomputes
  Speculation speculation;
  double jitter = 0;      // coefficient of variation of a step's time
  double time_scale = 1;  // factor on every step: 1.2 is a server that takes 20 % longer for everything
};

/// Runs the scheduler's steps one after the other. Throws UsageError that says what a model that does not fit
/// the device would need.
std::unique_ptr<EngineModel> make_batching_engine(const EngineConfig& config, std::uint64_t seed);

/// What a fixed engine is configured with.
struct FixedTimes {
  nanoseconds ttft{50'000'000};
  nanoseconds itl{10'000'000};         // per token
  nanoseconds per_prompt_token{};      // added to ttft
  std::uint32_t tokens_per_event = 1;  // an event of m tokens comes m · itl after the previous one
  double time_scale = 1;               // scales all of these times
  double jitter_share = 0;             // coefficient of variation of every interval, or …
  nanoseconds jitter{};                // … the standard deviation of every interval
};

/// A server with known times, independent of load.
std::unique_ptr<EngineModel> make_fixed_engine(const FixedTimes& times, std::uint64_t seed);

}  // namespace infermeter::sim
