#include <array>
#include <string>

#include "infermeter/base/suggest.hpp"
#include "sim/engine/batching_engine.hpp"
#include "sim/engine/batching_options.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/fixed_engine.hpp"
#include "sim/engine/preset_options.hpp"

namespace infermeter::sim {
namespace {

constexpr std::string_view kFixed = "fixed";

EngineConfig table_preset(std::string_view device, std::string_view model) {
  EngineConfig config;
  config.device = find_device(device);
  config.model = find_model(model);
  return config;
}

EngineConfig two_h100_70b_fp8() {
  EngineConfig config = table_preset("h100", "llama-3.1-70b");
  config.precision = Precision::fp8;
  config.tensor_parallel = 2;
  return config;
}

// Round numbers without friction: 35 GB at 1000 GB/s are 35 ms a token to the nanosecond. No KV traffic, so
// its cache has a size by decree; a step is bound by compute past 1,000 tokens.
EngineConfig card() {
  EngineConfig config;
  config.device = Device{"card", 80, 1000, 1000, std::nullopt, std::nullopt};
  config.model.name = "card-35gb";
  config.model.parameters = config.model.active_parameters = 17.5e9;
  config.compute_efficiency = config.memory_efficiency = 1;
  config.overhead = nanoseconds(0);
  config.kv_tokens = 1'000'000;
  return config;
}

struct Preset {
  std::string_view name;
  std::string_view help;
  EngineConfig (*config)();
};
constexpr std::array kPresets{
    Preset{"h100-8b", "Llama 3.1 8B in bf16 on one H100 (the default)",
           [] { return table_preset("h100", "llama-3.1-8b"); }},
    Preset{"h100x2-70b-fp8", "Llama 3.1 70B in fp8 on two H100", two_h100_70b_fp8},
    Preset{"h100-moe", "Qwen3 30B-A3B, a mixture of 128 experts, in bf16 on one H100",
           [] { return table_preset("h100", "qwen3-30b-a3b"); }},
    Preset{"4090-8b", "Llama 3.1 8B in bf16 on one RTX 4090: little room for KV",
           [] { return table_preset("4090", "llama-3.1-8b"); }},
    Preset{"card", "35 GB of weights at 1000 GB/s, no overhead: 35 ms a token", card},
};
constexpr std::string_view kFixedHelp = "known times: fixed:ttft=50ms,itl=10ms,jitter=0";

[[noreturn]] void refuse_preset(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [preset, help] : preset_list()) known.push_back(preset);
  refuse_unknown("simulator preset", name, known);
}

EngineConfig batching_config(const PresetText& text) {
  for (const Preset& preset : kPresets) {
    if (preset.name != text.name) continue;
    EngineConfig config = preset.config();
    apply_options(text, batching_options(), config);
    return config;
  }
  refuse_preset(text.name);
}

FixedTimes fixed_times(const PresetText& text) {
  FixedTimes times;
  apply_options(text, fixed_options(), times);
  return times;
}

template <typename Settings>
void append(NamedLines& lines, std::span<const PresetOption<Settings>> options, std::string_view before) {
  for (const auto& option : options)
    lines.emplace_back(std::string(before) + std::string(option.name), option.help);
}

}  // namespace

std::unique_ptr<EngineModel> make_engine(std::string_view preset, std::uint64_t seed) {
  const PresetText text = split_preset(preset);
  if (text.name == kFixed) return std::make_unique<FixedEngine>(fixed_times(text), seed);
  return std::make_unique<BatchingEngine>(batching_config(text), seed);
}

NamedLines preset_list() {
  NamedLines lines;
  for (const Preset& preset : kPresets) lines.emplace_back(preset.name, preset.help);
  lines.emplace_back(kFixed, kFixedHelp);
  return lines;
}

NamedLines preset_option_list() {
  NamedLines lines;
  append(lines, batching_options(), "");
  append(lines, fixed_options(), "fixed:");
  return lines;
}

std::string preset_model_name(std::string_view preset) {
  const PresetText text = split_preset(preset);
  if (text.name != kFixed) return std::string(batching_config(text).model.name);
  fixed_times(text);  // refuses wrong options
  return std::string(kFixed);
}

}  // namespace infermeter::sim
