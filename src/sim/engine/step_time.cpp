#include "sim/engine/step_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/base/errors.hpp"

namespace infermeter::sim {
namespace {

// A small all-reduce over NVLink takes about ten microseconds before the first byte counts.
constexpr double kAllReduceSeconds = 10e-6;
constexpr double kActivationBytes = 2;

double known_flops(const EngineConfig& config) {
  const auto rate = tflops(config.device, config.precision);
  if (!rate)
    throw UsageError(
        fmt::format("device: '{}' has no published TFLOPS, prefill cannot be modelled", config.device.name),
        "give them: tflops=N");
  return *rate * 1e12;
}

}  // namespace

StepTime::StepTime(const EngineConfig& config)
    : config_(config),
      flops_per_second_(known_flops(config) * config.compute_efficiency * config.tensor_parallel),
      bytes_per_second_(config.device.bandwidth_gb_s * 1e9 * config.memory_efficiency *
                        config.tensor_parallel),
      kv_bytes_(kv_bytes_per_token(config.model)) {
  // Every device has its own bus to the host.
  if (config.offload_gb_s) bus_bytes_per_second_ = *config.offload_gb_s * 1e9 * config.tensor_parallel;
}

nanoseconds StepTime::of(const StepLoad& load) const {
  double seconds = std::max(compute_seconds(load), memory_seconds(load));
  const double draft_bytes = config_.speculation.draft_share * config_.model.active_parameters *
                             bytes_per_parameter(config_.precision);
  seconds += load.draft_passes * draft_bytes / bytes_per_second_;
  seconds += all_reduce_seconds(load.tokens);
  if (bus_bytes_per_second_ > 0)
    seconds += (load.offloaded_context + load.moved) * kv_bytes_ / bus_bytes_per_second_;
  return nanoseconds(std::llround(seconds * 1e9)) + config_.overhead;
}

// 2 FLOPs per active parameter and token; attention 4 · layers · heads · head_dim per token and context
// token.
double StepTime::compute_seconds(const StepLoad& load) const {
  const ModelShape& m = config_.model;
  const double attention = 4.0 * m.layers * m.heads * m.head_dim * load.token_context;
  return (2 * m.active_parameters * load.tokens + attention) / flops_per_second_;
}

double StepTime::memory_seconds(const StepLoad& load) const {
  const double weights = weight_bytes_read(config_.model, config_.precision, load.tokens);
  return (weights + load.context * kv_bytes_) / bytes_per_second_;
}

// Two all-reduces a layer, each α + β · tokens; a ring moves 2 (n−1)/n of the activations.
double StepTime::all_reduce_seconds(std::uint32_t tokens) const {
  const double n = config_.tensor_parallel;
  if (n < 2) return 0;
  const ModelShape& m = config_.model;
  const double bytes_per_token = 2 * (n - 1) / n * m.heads * m.head_dim * kActivationBytes;
  return 2.0 * m.layers * (kAllReduceSeconds + tokens * bytes_per_token / (config_.link_gb_s * 1e9));
}

nanoseconds jittered(nanoseconds mean, double cv, Random& random) {
  if (cv <= 0) return mean;
  const double variance = std::log1p(cv * cv);
  const double factor = std::exp(std::sqrt(variance) * random.normal() - variance / 2);
  return nanoseconds(std::llround(static_cast<double>(mean.count()) * factor));
}

nanoseconds scaled(nanoseconds mean, double scale) {
  return nanoseconds(std::llround(static_cast<double>(mean.count()) * scale));
}

std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random) {
  std::uint32_t accepted = 0;
  while (accepted < drafts && random.uniform() < alpha) ++accepted;
  return accepted;
}

}  // namespace infermeter::sim
