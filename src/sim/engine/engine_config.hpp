// Configuration of a batching engine: device, model and the engine's own settings. Plain values.
#pragma once

#include <cstdint>
#include <optional>

#include "infermeter/base/clock.hpp"
#include "model/hardware.hpp"

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

/// Blocks of KV cache that fit: (0.9 · memory · TP − weights) / (16 · KV). Throws UsageError that says what a
/// model that does not fit would need.
std::uint32_t kv_blocks(const EngineConfig& config);

}  // namespace infermeter::sim
