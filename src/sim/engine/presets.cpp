// The presets, and the options that can follow one.
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "sim/engine/engine_config.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter::sim {
namespace {

// `name:option=value,option=value`, the notation of presets, as views into that text.
struct PresetText {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};

// Throws UsageError for an option without `=` or a value.
PresetText split_preset(std::string_view text) {
  const std::size_t colon = text.find(':');
  PresetText out{text.substr(0, colon), {}};
  if (colon == std::string_view::npos) return out;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size())
      throw UsageError(fmt::format("preset {}: '{}' is not an option=value", out.name, item),
                       "write it as in h100-8b:spec=0.7x4,max-seqs=64");
    out.options.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

// One option of an engine kind; `set` throws UsageError that names option, value and rule.
template <typename Settings>
struct PresetOption {
  std::string_view name;
  std::string_view help;
  void (*set)(Settings& settings, std::string_view option, std::string_view value);
};

template <typename Settings>
void apply_options(const PresetText& text, std::span<const PresetOption<Settings>> known,
                   Settings& settings) {
  for (const auto& [name, value] : text.options) {
    const PresetOption<Settings>* found = nullptr;
    for (const auto& option : known) found = option.name == name ? &option : found;
    if (found != nullptr) {
      found->set(settings, name, value);
      continue;
    }
    std::vector<std::string> names;
    for (const auto& option : known) names.emplace_back(option.name);
    refuse_unknown("option of preset " + std::string(text.name), name, names);
  }
}

using Text = std::string_view;

// Sustained rate of a PCIe 4.0 x16 slot and of a fast NVMe drive, GB/s.
constexpr double kHostGbS = 25;
constexpr double kSsdGbS = 5;

[[noreturn]] void refuse(std::string_view option, std::string_view value, std::string_view rule) {
  throw UsageError(fmt::format("{}: '{}' is not {}", option, value, rule));
}

std::uint64_t count_within(std::string_view option, std::string_view value, std::uint64_t least,
                           std::uint64_t most) {
  const std::uint64_t count = parse_count(option, value);
  if (count < least || count > most)
    refuse(option, value, fmt::format("between {} and {}", format_count(least), format_count(most)));
  return count;
}

std::uint32_t small_count(std::string_view option, std::string_view value, std::uint32_t least,
                          std::uint32_t most) {
  return static_cast<std::uint32_t>(count_within(option, value, least, most));
}

double positive(std::string_view option, std::string_view value) {
  const double number = parse_number(option, value);
  if (number <= 0) refuse(option, value, "greater than 0");
  return number;
}

double positive_share(std::string_view option, std::string_view value) {
  const double share = parse_share(option, value);
  if (share <= 0) refuse(option, value, "a share greater than 0");
  return share;
}

bool on_or_off(std::string_view option, std::string_view value) {
  if (value != "on" && value != "off") refuse(option, value, "on or off");
  return value == "on";
}

void set_speculation(EngineConfig& config, std::string_view option, std::string_view value) {
  const std::size_t x = value.find('x');
  if (x == std::string_view::npos) refuse(option, value, "acceptance x drafts, such as 0.7x4");
  config.speculation.alpha = parse_share(option, value.substr(0, x));
  config.speculation.gamma = small_count(option, value.substr(x + 1), 1, 64);
}

void set_offload(EngineConfig& config, std::string_view option, std::string_view value) {
  config.offload_gb_s.reset();
  if (value == "none") return;
  if (value == "host") {
    config.offload_gb_s = kHostGbS;
  } else if (value == "ssd") {
    config.offload_gb_s = kSsdGbS;
  } else if (value.front() >= '0' && value.front() <= '9') {
    config.offload_gb_s = positive(option, value);
  } else {
    refuse(option, value, "host, ssd, none or a bandwidth in GB/s");
  }
}

constexpr std::array kOptions{
    PresetOption<EngineConfig>{"device", "a device of the table: h100, 4090, mi300x, …",
                               [](EngineConfig& c, Text, Text v) { c.device = find_device(v); }},
    PresetOption<EngineConfig>{"model", "a model of the table: llama-3.1-8b, qwen3-30b-a3b, …",
                               [](EngineConfig& c, Text, Text v) { c.model = find_model(v); }},
    PresetOption<EngineConfig>{"dtype", "weights as bf16, fp8, int4 or fp4",
                               [](EngineConfig& c, Text, Text v) { c.precision = precision_from_name(v); }},
    PresetOption<EngineConfig>{
        "tp", "devices that share each layer (tensor parallel)",
        [](EngineConfig& c, Text o, Text v) { c.tensor_parallel = small_count(o, v, 1, 1024); }},
    PresetOption<EngineConfig>{"memory", "GB of one device, instead of the table's",
                               [](EngineConfig& c, Text o, Text v) { c.device.memory_gb = positive(o, v); }},
    PresetOption<EngineConfig>{
        "bandwidth", "GB/s of one device, instead of the table's",
        [](EngineConfig& c, Text o, Text v) { c.device.bandwidth_gb_s = positive(o, v); }},
    PresetOption<EngineConfig>{"tflops", "dense TFLOPS of one device, instead of the table's",
                               [](EngineConfig& c, Text o, Text v) {
                                 c.device.bf16_tflops = positive(o, v);
                                 c.device.fp8_tflops = c.device.fp4_tflops = c.device.bf16_tflops;
                               }},
    PresetOption<EngineConfig>{
        "compute-efficiency", "share of the TFLOPS that is reached",
        [](EngineConfig& c, Text o, Text v) { c.compute_efficiency = positive_share(o, v); }},
    PresetOption<EngineConfig>{
        "memory-efficiency", "share of the GB/s that is reached",
        [](EngineConfig& c, Text o, Text v) { c.memory_efficiency = positive_share(o, v); }},
    PresetOption<EngineConfig>{"overhead", "host time per step: 2ms",
                               [](EngineConfig& c, Text o, Text v) { c.overhead = parse_duration(o, v); }},
    PresetOption<EngineConfig>{"link", "GB/s between devices under tp",
                               [](EngineConfig& c, Text o, Text v) { c.link_gb_s = positive(o, v); }},
    PresetOption<EngineConfig>{
        "kv-tokens", "tokens of KV cache, instead of what the memory has left",
        [](EngineConfig& c, Text o, Text v) { c.kv_tokens = count_within(o, v, kBlockTokens, 100'000'000); }},
    PresetOption<EngineConfig>{
        "max-batched-tokens", "token budget of one step",
        [](EngineConfig& c, Text o, Text v) { c.max_batched_tokens = small_count(o, v, 1, 1'000'000); }},
    PresetOption<EngineConfig>{
        "max-seqs", "requests that run at the same time",
        [](EngineConfig& c, Text o, Text v) { c.max_seqs = small_count(o, v, 1, 1'000'000); }},
    PresetOption<EngineConfig>{"watermark", "share of the KV blocks that admission leaves free: 1%",
                               [](EngineConfig& c, Text o, Text v) { c.watermark = parse_share(o, v); }},
    PresetOption<EngineConfig>{"prefix-cache", "on or off",
                               [](EngineConfig& c, Text o, Text v) { c.prefix_cache = on_or_off(o, v); }},
    PresetOption<EngineConfig>{
        "offload", "where KV goes when it runs out: host, ssd, GB/s, or none (recompute)", set_offload},
    PresetOption<EngineConfig>{"spec", "speculative decoding: acceptance x drafts, 0.7x4", set_speculation},
    PresetOption<EngineConfig>{
        "draft", "the draft model's weights as a share of the model's: 5%",
        [](EngineConfig& c, Text o, Text v) { c.speculation.draft_share = parse_share(o, v); }},
    PresetOption<EngineConfig>{"jitter", "coefficient of variation of a step's time: 5%",
                               [](EngineConfig& c, Text o, Text v) { c.jitter = parse_share(o, v); }},
    PresetOption<EngineConfig>{"time-scale", "1.2 takes 20 % longer for everything, 0.1 a tenth",
                               [](EngineConfig& c, Text o, Text v) { c.time_scale = positive(o, v); }},
};

std::span<const PresetOption<EngineConfig>> batching_options() { return kOptions; }

void set_jitter(FixedTimes& times, Text option, Text value) {
  const bool duration = looks_like_duration(value);
  times.jitter = duration ? parse_duration(option, value) : nanoseconds(0);
  times.jitter_share = duration ? 0 : parse_share(option, value);
}

constexpr std::array kFixedOptions{
    PresetOption<FixedTimes>{"ttft", "from submission to the first token: 50ms",
                             [](FixedTimes& t, Text o, Text v) { t.ttft = parse_duration(o, v); }},
    PresetOption<FixedTimes>{"itl", "per token after the first: 10ms",
                             [](FixedTimes& t, Text o, Text v) { t.itl = parse_duration(o, v); }},
    PresetOption<FixedTimes>{
        "per-token", "added to ttft for each prompt token: 20us",
        [](FixedTimes& t, Text o, Text v) { t.per_prompt_token = parse_duration(o, v); }},
    PresetOption<FixedTimes>{
        "tokens", "tokens per event, itl apart each",
        [](FixedTimes& t, Text o, Text v) { t.tokens_per_event = small_count(o, v, 1, 1'000'000); }},
    PresetOption<FixedTimes>{"time-scale", "1.2 takes 20 % longer for everything, 0.1 a tenth",
                             [](FixedTimes& t, Text o, Text v) { t.time_scale = positive(o, v); }},
    PresetOption<FixedTimes>{"jitter", "spread of every interval: 10% of it, or 2ms", set_jitter},
};

std::span<const PresetOption<FixedTimes>> fixed_options() { return kFixedOptions; }

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

// Round numbers without overhead: 35 GB at 1000 GB/s take exactly 35 ms a token. There is no KV traffic, so
// the cache size is set by hand; a step is compute-bound above 1,000 tokens.
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
  if (text.name == kFixed) return make_fixed_engine(fixed_times(text), seed);
  return make_batching_engine(batching_config(text), seed);
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
