#include "cli/options/foreign_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "cli/options/rival_options.hpp"

namespace infermeter {
namespace {

// clang-format off: a table
constexpr Alias kAliases[] = {
    {"url", "url"},                                 // the name used in a file and the environment
    {"base-url", "url"},                            // vLLM, SGLang
    {"max-concurrency", "concurrency"},             // vLLM, SGLang
    {"request-rate", "rate"},                       // vLLM, SGLang, AIPerf
    {"num-prompts", "requests"},                    // vLLM, SGLang
    {"request-count", "requests"},                  // AIPerf, genai-perf
    {"num-requests", "requests"},                   // genai-perf
    {"isl", "input-tokens"},                        // AIPerf
    {"random-input-len", "input-tokens"},           // vLLM, SGLang
    {"input-len", "input-tokens"},                  // vLLM
    {"synthetic-input-tokens-mean", "input-tokens"},  // AIPerf, genai-perf
    {"osl", "output-tokens"},                       // AIPerf
    {"random-output-len", "output-tokens"},         // vLLM, SGLang
    {"output-len", "output-tokens"},                // vLLM
    {"output-tokens-mean", "output-tokens"},        // AIPerf, genai-perf
    {"ignore-eos", "exact-output"},                 // vLLM
    {"random-seed", "seed"},                        // AIPerf, guidellm
    {"benchmark-duration", "duration"},             // AIPerf, where it is a number of seconds: refused without unit
    {"num-warmups", "warmup"},                      // vLLM
    {"warmup-request-count", "warmup"},             // AIPerf
    {"result-dir", "out"},                          // vLLM
    {"artifact-dir", "out"},                        // AIPerf, genai-perf
    {"extra-request-body", "extra-body"},           // SGLang
    {"arrival-smoothness", "burstiness"},           // AIPerf
    {"urls", "url"},                                // replicas, in a file
    {"headers", "header"},                          // in a file
    {"dataset", "workload"},
    {"dataset-path", "workload"},                   // vLLM, SGLang
    {"goodput", "slo"},                             // vLLM, AIPerf: ttft:500
    {"input-file", "workload"},                     // AIPerf, genai-perf
    {"conversation-turn-mean", "turns"},            // AIPerf
    {"stage", "stages"},                            // k6
    {"ramp-stages", "stages"},
    {"json", "format", "json"},
    {"max-tokens", "output-tokens"},                // the API's field
    {"max-completion-tokens", "output-tokens"},     // the API's newer one
};

// clang-format on

constexpr std::string_view kKeyNames[] = {"api-key", "apikey",     "openai-api-key",
                                          "token",   "auth-token", "bearer-token"};

std::string dashed(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

std::vector<std::string> known_names(NameStyle style, std::span<const OptionSpec> specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) {
    if (!is_positional(spec.takes) || style != NameStyle::option) names.emplace_back(spec.name);
  }
  for (const auto& alias : kAliases) {
    if (find_option(specs, alias.name)) names.emplace_back(alias.name);
  }
  return names;
}

char capital(char c) { return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::span<const Alias> aliases() { return kAliases; }

const Alias* find_alias(std::string_view name) {
  const auto it = std::ranges::find(kAliases, name, &Alias::name);
  return it == std::end(kAliases) ? nullptr : it;
}

bool asks_for_key(std::string_view name) {
  return std::ranges::find(kKeyNames, std::string_view(dashed(name))) != std::end(kKeyNames);
}

UsageError key_refusal(std::string_view shown) {
  return UsageError(
      fmt::format("{} does not exist: a key there would be seen by everyone on this machine", shown),
      "export OPENAI_API_KEY=…, or --api-key-env NAME, or --api-key-file F");
}

std::string written(NameStyle style, std::string_view name) {
  std::string out(name);
  if (style == NameStyle::option) return (name.size() == 1 ? "-" : "--") + out;
  if (style == NameStyle::file) return out;
  std::ranges::transform(out, out.begin(), capital);
  return "INFERMETER_" + out;
}

bool resembles_known(NameStyle style, std::string_view name, std::span<const OptionSpec> specs) {
  return rival_hint(dashed(name)) || nearest_name(dashed(name), known_names(style, specs));
}

UsageError unknown_name(NameStyle style, std::string_view shown, std::string_view name,
                        std::span<const OptionSpec> specs, std::string_view command) {
  if (const auto hint = rival_hint(dashed(name))) return UsageError(fmt::format("{}: {}", shown, *hint));
  const auto nearest = nearest_name(dashed(name), known_names(style, specs));
  if (!nearest)
    return UsageError(std::string(shown), fmt::format("infermeter {} --help lists the options.", command));
  return UsageError(fmt::format("{}; did you mean {}?", shown, written(style, *nearest)));
}

}  // namespace infermeter
