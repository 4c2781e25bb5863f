#include "model/hardware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace infermeter {
namespace {

constexpr auto kUnknown = std::nullopt;

// name, GB, GB/s, dense TFLOPS in bf16, fp8, fp4.
constexpr std::array kDevices{
    Device{"gb300", 288, 8000, 2500, 5000, 15000},
    Device{"b300", 288, 8000, 2250, 4500, 12600},
    Device{"gb200", 186, 8000, 2500, 5000, 10000},
    Device{"b200", 180, 8000, 2250, 4500, 9000},
    Device{"h200", 141, 4800, 989, 1979, kUnknown},
    Device{"gh200", 96, 4000, 989, 1979, kUnknown},
    Device{"gh200-141", 141, 4800, 989, 1979, kUnknown},
    Device{"h100", 80, 3350, 989, 1979, kUnknown},
    Device{"h100-pcie", 80, 2000, 756, 1513, kUnknown},
    Device{"a100", 80, 2039, 312, kUnknown, kUnknown},
    Device{"a100-pcie", 80, 1935, 312, kUnknown, kUnknown},
    Device{"a100-40", 40, 1555, 312, kUnknown, kUnknown},
    Device{"l40s", 48, 864, 362, 733, kUnknown},
    Device{"l4", 24, 300, 121, 242, kUnknown},
    Device{"4090", 24, 1008, 165, 330, kUnknown},
    Device{"5090", 32, 1792, 209, 419, 1676},
    Device{"rtx-pro-6000", 96, 1792, 250, 500, 2000},
    Device{"dgx-spark", 128, 273, 125, 250, 500},
    Device{"mi300x", 192, 5300, 1307, 2610, kUnknown},
    Device{"mi325x", 256, 6000, 1307, 2610, kUnknown},
    Device{"mi350x", 288, 8000, 2300, 4600, kUnknown},
    Device{"mi355x", 288, 8000, 2500, 5000, 10100},
    Device{"gaudi3", 128, 3700, 1677, 1677, kUnknown},
    Device{"gaudi2", 96, 2460, 432, 865, kUnknown},
    Device{"tpu-v5e", 16, 820, 197, kUnknown, kUnknown},
    Device{"tpu-v5p", 95, 2760, 459, kUnknown, kUnknown},
    Device{"tpu-v6e", 32, 1640, 918, kUnknown, kUnknown},
    Device{"trainium2", 96, 2900, 667, 1299, kUnknown},
    Device{"m4", 32, 120, kUnknown, kUnknown, kUnknown},
    Device{"m4-pro", 64, 273, kUnknown, kUnknown, kUnknown},
    Device{"m4-max", 128, 546, kUnknown, kUnknown, kUnknown},
    Device{"m2-ultra", 192, 800, kUnknown, kUnknown, kUnknown},
    Device{"m3-ultra", 512, 819, kUnknown, kUnknown, kUnknown},
};

// name, parameters, active ones, layers, heads, KV heads, head size, latent size, experts, of them per token,
// longest context.
constexpr std::array kModels{
    ModelShape{"llama-3.1-8b", 8.03e9, 8.03e9, 32, 32, 8, 128, 0, 0, 0, 131072},
    ModelShape{"llama-3.1-70b", 70.554e9, 70.554e9, 80, 64, 8, 128, 0, 0, 0, 131072},
    ModelShape{"llama-3.1-405b", 405.853e9, 405.853e9, 126, 128, 8, 128, 0, 0, 0, 131072},
    ModelShape{"llama-2-7b", 6.74e9, 6.74e9, 32, 32, 32, 128, 0, 0, 0, 4096},
    ModelShape{"qwen3-32b", 32.8e9, 32.8e9, 64, 64, 8, 128, 0, 0, 0, 40960},
    ModelShape{"qwen3-30b-a3b", 30.5e9, 3.3e9, 48, 32, 4, 128, 0, 128, 8, 40960},
    ModelShape{"mixtral-8x7b", 46.7e9, 12.9e9, 32, 32, 8, 128, 0, 8, 2, 32768},
    ModelShape{"deepseek-v3", 671e9, 37e9, 61, 128, 128, 128, 576, 256, 8, 163840},
    ModelShape{"gpt-oss-120b", 116.8e9, 5.1e9, 36, 64, 8, 64, 0, 128, 4, 131072},
    ModelShape{"gpt-oss-20b", 20.9e9, 3.6e9, 24, 64, 8, 64, 0, 32, 4, 131072},
};

struct Storage {
  Precision precision;
  std::string_view name;
  double bytes;
};
// int4: 4 bits and a scale per group of 128, embeddings and output head left in bf16: 40 GB for 70B.
// fp4: 4 bits and an 8-bit scale per 16 (NVFP4).
constexpr std::array kStorage{Storage{Precision::bf16, "bf16", 2}, Storage{Precision::fp8, "fp8", 1},
                              Storage{Precision::int4, "int4", 0.567},
                              Storage{Precision::fp4, "fp4", 0.5625}};

const Storage& storage(Precision precision) { return kStorage[static_cast<std::size_t>(precision)]; }

template <typename Table>
const auto& find_named(std::string_view option, std::string_view wanted, const Table& table) {
  const auto found = std::ranges::find(table, wanted, [](const auto& row) { return row.name; });
  if (found != std::ranges::end(table)) return *found;
  std::vector<std::string> known;
  for (const auto& row : table) known.emplace_back(row.name);
  refuse_unknown(option, wanted, known);
}

}  // namespace

std::string_view name(Precision precision) { return storage(precision).name; }
Precision precision_from_name(std::string_view name) { return find_named("dtype", name, kStorage).precision; }
double bytes_per_parameter(Precision precision) { return storage(precision).bytes; }

std::span<const Device> devices() { return kDevices; }
std::span<const ModelShape> models() { return kModels; }
const Device& find_device(std::string_view name) { return find_named("device", name, kDevices); }
const ModelShape& find_model(std::string_view name) { return find_named("model", name, kModels); }

std::optional<double> tflops(const Device& device, Precision precision) {
  if (precision == Precision::fp8 && device.fp8_tflops) return device.fp8_tflops;
  if (precision == Precision::fp4 && device.fp4_tflops) return device.fp4_tflops;
  return device.bf16_tflops;
}

double kv_bytes_per_token(const ModelShape& model) {
  constexpr double bf16 = 2;
  if (model.latent_dim > 0) return bf16 * model.layers * model.latent_dim;
  return 2 * bf16 * model.layers * model.kv_heads * model.head_dim;
}

double weight_bytes(const ModelShape& model, Precision precision) {
  return model.parameters * bytes_per_parameter(precision);
}

double experts_touched(std::uint32_t experts, std::uint32_t per_token, double tokens) {
  const double all = experts;
  return all * (1 - std::pow(1 - per_token / all, tokens));
}

double weight_bytes_read(const ModelShape& model, Precision precision, double tokens) {
  if (model.experts == 0) return weight_bytes(model, precision);
  const double expert =
      (model.parameters - model.active_parameters) / (model.experts - model.experts_per_token);
  const double shared = model.parameters - model.experts * expert;
  const double touched = experts_touched(model.experts, model.experts_per_token, tokens);
  return (shared + touched * expert) * bytes_per_parameter(precision);
}

}  // namespace infermeter
