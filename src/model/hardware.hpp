// Devices and models as data, and the sizes computed from them, for the simulator and the roofline. Vendors'
// sheet values, dense (no sparsity); sources and doubts in docs/simulator-model.md. Pure; any thread.
// GB = 1e9 bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace infermeter {

/// How weights are stored. int4 is a weight-only format; fp4 is computed natively where the device can.
enum class Precision : std::uint8_t { bf16, fp8, int4, fp4 };
std::string_view name(Precision precision);
/// Throws UsageError naming the known ones.
Precision precision_from_name(std::string_view name);
double bytes_per_parameter(Precision precision);

/// Absent: the vendor gives no value, or the device has no such path.
struct Device {
  std::string_view name;
  double memory_gb = 0;
  double bandwidth_gb_s = 0;
  std::optional<double> bf16_tflops, fp8_tflops, fp4_tflops;
};

/// A decoder-only transformer. `latent_dim` > 0: one compressed vector per layer is cached instead of keys
/// and values (DeepSeek's MLA). `experts` = 0: dense.
struct ModelShape {
  std::string_view name;
  double parameters = 0;
  double active_parameters = 0;
  std::uint32_t layers = 0, heads = 0, kv_heads = 0, head_dim = 0;
  std::uint32_t latent_dim = 0;
  std::uint32_t experts = 0, experts_per_token = 0;
  std::uint32_t max_context = 0;  // tokens; 0: as many as the KV cache holds
};

std::span<const Device> devices();
std::span<const ModelShape> models();
/// Throw UsageError naming the nearest known name.
const Device& find_device(std::string_view name);
const ModelShape& find_model(std::string_view name);

/// The rate of matrix products at this precision: its own, else bf16's (weights widened on the fly).
std::optional<double> tflops(const Device& device, Precision precision);

/// 2 · layers · kv_heads · head_dim · 2 bytes (bf16 cache); MLA: layers · latent_dim · 2 bytes.
double kv_bytes_per_token(const ModelShape& model);
double weight_bytes(const ModelShape& model, Precision precision);
/// How many of `experts` at least one of `tokens` tokens is routed to: E · (1 − (1 − k/E)^B).
double experts_touched(std::uint32_t experts, std::uint32_t per_token, double tokens);
/// Weights that a step over `tokens` tokens reads. Mixture of experts: the shared part and the touched
/// experts; both follow from the totals, since all = shared + E · expert and active = shared + k · expert.
double weight_bytes_read(const ModelShape& model, Precision precision, double tokens);

}  // namespace infermeter
