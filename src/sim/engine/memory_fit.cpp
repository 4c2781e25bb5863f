#include <fmt/format.h>

#include <string>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "sim/engine/engine_config.hpp"

namespace infermeter::sim {
namespace {

// vLLM's gpu_memory_utilization default; the rest is activations and the framework.
constexpr double kUsableShare = 0.9;
// With less room than this no useful engine starts: one long prompt would fill it.
constexpr double kLeastTokens = 8192;

double usable_gb(const EngineConfig& c) { return kUsableShare * c.device.memory_gb * c.tensor_parallel; }
double weights_gb(const EngineConfig& c) { return weight_bytes(c.model, c.precision) / 1e9; }
double left_gb(const EngineConfig& c) { return usable_gb(c) - weights_gb(c); }
double tokens_in(const EngineConfig& c, double gb) { return gb * 1e9 / kv_bytes_per_token(c.model); }
double wanted_tokens(const EngineConfig& c) {
  return c.kv_tokens ? static_cast<double>(*c.kv_tokens) : kLeastTokens;
}

bool fits(const EngineConfig& c) {
  const double need = wanted_tokens(c) * kv_bytes_per_token(c.model) / 1e9;
  return left_gb(c) > 0 && left_gb(c) >= need;
}

// Suggests the smallest number of devices, the smallest device and the next smaller precision that would fit,
// one each.
std::string remedies(const EngineConfig& config) {
  std::string found;
  const auto propose = [&](const std::string& option) {
    found += (found.empty() ? "would do: " : ", or ") + option;
  };
  EngineConfig more = config;
  while (!fits(more) && more.tensor_parallel < 64) more.tensor_parallel *= 2;
  if (fits(more)) propose(fmt::format("tp={}", more.tensor_parallel));

  const Device* smallest = nullptr;
  for (const Device& device : devices()) {
    EngineConfig other = config;
    other.device = device;
    if (!fits(other) || !device.bf16_tflops) continue;
    if (smallest == nullptr || device.memory_gb < smallest->memory_gb) smallest = &device;
  }
  if (smallest != nullptr) propose(fmt::format("device={} ({} GB)", smallest->name, smallest->memory_gb));

  for (const Precision precision : {Precision::fp8, Precision::int4}) {
    EngineConfig leaner = config;
    leaner.precision = precision;
    if (weights_gb(leaner) >= weights_gb(config) || !fits(leaner)) continue;
    propose(fmt::format("dtype={}", name(precision)));
    break;
  }
  return found.empty() ? "no device in the table holds it" : found;
}

[[noreturn]] void refuse_model(const EngineConfig& c) {
  const double left = left_gb(c);
  const std::string room = left <= 0
                               ? std::string("nothing is left for its KV cache")
                               : fmt::format("what is left holds {} tokens of KV cache and {} are needed",
                                             format_count(static_cast<std::uint64_t>(tokens_in(c, left))),
                                             format_count(static_cast<std::uint64_t>(wanted_tokens(c))));
  throw UsageError(
      fmt::format("{} in {} does not fit {}{}: its weights need {:.1f} GB of the {:.1f} usable GB, {}",
                  c.model.name, name(c.precision),
                  c.tensor_parallel > 1 ? fmt::format("{} × ", c.tensor_parallel) : "", c.device.name,
                  weights_gb(c), usable_gb(c), room),
      remedies(c));
}

}  // namespace

std::uint32_t kv_blocks(const EngineConfig& config) {
  if (!fits(config)) refuse_model(config);
  const double tokens =
      config.kv_tokens ? static_cast<double>(*config.kv_tokens) : tokens_in(config, left_gb(config));
  return static_cast<std::uint32_t>(tokens / kBlockTokens);
}

}  // namespace infermeter::sim
