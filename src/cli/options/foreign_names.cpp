#include "cli/options/foreign_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

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

struct Hint {
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kUrlIs = "the URL stands alone: infermeter run http://localhost:8000";
constexpr std::string_view kPathDecides =
    "the URL decides (…/v1 is chat, …/v1/completions text completion), or --endpoint KIND";
constexpr std::string_view kNoTokenizer = "none is needed: the server counts the tokens";
constexpr std::string_view kAllPercentiles = "p50, p90, p95 and p99 of every metric are always reported";
constexpr std::string_view kAlwaysSaved = "every run is saved; -o DIR chooses where";
constexpr std::string_view kSyntheticLengths =
    "prompts are synthetic (--input-tokens N) or a file's (--workload F, or FORMAT:F)";
constexpr std::string_view kConcurrency = "use -c N (--concurrency)";
constexpr std::string_view kRequests = "use -n N (--requests)";
constexpr std::string_view kDuration = "use -d 30s (--duration), with its unit";
constexpr std::string_view kModel = "use --model NAME";
constexpr std::string_view kLoadIs = "-c N is a closed loop; --rate R with --arrival constant|poisson|gamma:CV an open one";
constexpr std::string_view kExtraBody = "use --extra-body '{\"temperature\": 0}': it is merged into every body";
constexpr std::string_view kList = "several values make a sweep: -c 1,2,4,8, or --rate 1,2,5";
constexpr std::string_view kWarmup = "use --warmup 0: nothing is left out then";
constexpr std::string_view kThinkTime = "use --think-time T, with --turns";

constexpr Hint kHints[] = {
    // vLLM bench serve, SGLang bench_serving
    {"backend", kPathDecides}, {"endpoint-type", kPathDecides},
    {"host", kUrlIs}, {"port", kUrlIs},
    {"dataset-name", kSyntheticLengths},
    {"random-range-ratio", "use --input-tokens uniform:A,B"},
    {"random-prefix-len", "use --shared-prefix-tokens N"},
    {"percentile-metrics", kAllPercentiles}, {"metric-percentiles", kAllPercentiles},
    {"tokenizer", kNoTokenizer}, {"tokenizer-mode", kNoTokenizer}, {"trust-remote-code", kNoTokenizer},
    {"processor", kNoTokenizer},
    {"save-result", kAlwaysSaved}, {"save-detailed", kAlwaysSaved}, {"result-filename", kAlwaysSaved},
    {"output-file", kAlwaysSaved},
    {"served-model-name", kModel}, {"disable-tqdm", "use -q"},
    {"ready-check-timeout-sec", "use --wait-ready 10m"},
    {"request-id-prefix", "every request carries X-Request-Id: <run>-<n>"},
    {"metadata", "use --label K=V"}, {"disable-ignore-eos", "use --no-exact-output"},
    {"disable-stream", "use --no-stream"},
    {"top-k", kExtraBody}, {"extra-inputs", kExtraBody},
    {"output-format", "use --format table|json|csv|…"}, {"export-format", "use --format table|json|csv|…"},
    {"no-warmup", kWarmup}, {"skip-warmup", kWarmup}, {"ramp-up", "use --stages 60s:N,…"},
    {"ramp-up-strategy", "use --stages 60s:N,…"}, {"n-samples", "use --choices N"},
    {"lora-modules", "use [[class]] blocks in --config F, each with its model"},
    {"use-beam-search", kExtraBody}, {"best-of", kExtraBody},
    // guidellm
    {"target", kUrlIs}, {"rate-type", kLoadIs}, {"profile", kLoadIs}, {"max-seconds", kDuration},
    {"max-requests", kRequests}, {"max-errors", "use --max-error-rate 10%"}, {"data", kSyntheticLengths},
    {"output-path", kAlwaysSaved}, {"backend-type", kPathDecides}, {"backend-args", kExtraBody},
    {"backend-kwargs", kExtraBody}, {"warmup-percent", "use --warmup N or --warmup 10s"},
    // AIPerf, genai-perf
    {"model-names", kModel}, {"u", kUrlIs}, {"streaming", "answers are streamed unless --no-stream"},
    {"concurrency-range", kList}, {"request-rate-range", kList}, {"service-kind", kPathDecides},
    {"session-turn-delay-mean", kThinkTime}, {"conversation-turn-delay-mean", kThinkTime},
    {"num-users", kConcurrency}, {"users", kConcurrency}, {"image-width-mean", "use --images N --image-size WxH"},
    {"image-height-mean", "use --images N --image-size WxH"}, {"custom-dataset-type", "use --workload FORMAT:FILE"},
    {"request-rate-mode", "use --arrival constant|poisson|gamma:CV"},
    {"arrival-pattern", "use --arrival constant|poisson|gamma:CV"},
    {"benchmark-grace-period", "use --timeout-drain T"}, {"request-timeout-seconds", "use --timeout T"},
    {"measurement-interval", kDuration}, {"stability-percentage", "steady state is found from the records"},
    {"num-dataset-entries", kSyntheticLengths}, {"num-prefix-prompts", "use --prefix-groups N"},
    {"prefix-prompt-length", "use --shared-prefix-tokens N"},
    {"config-file", "use --config F (TOML)"},
    {"ui", "use --progress auto|bar|plain|json|none"},
    // llmperf, genai-bench
    {"num-concurrent-requests", kConcurrency}, {"num-concurrency", kConcurrency},
    {"max-num-completed-requests", kRequests}, {"max-requests-per-run", kRequests},
    {"max-time-per-run", kDuration}, {"mean-input-tokens", "use --input-tokens N"},
    {"mean-output-tokens", "use --output-tokens N"}, {"llm-api", kPathDecides}, {"api-backend", kPathDecides},
    {"api-base", kUrlIs}, {"api-model-name", kModel}, {"traffic-scenario", kSyntheticLengths},
    {"additional-sampling-params", kExtraBody},
    // k6, hyperfine, wrk, hey, oha
    {"vus", kConcurrency}, {"iterations", kRequests},
    {"connections", kConcurrency}, {"threads", "use --workers N"}, {"z", kDuration},
    {"qps", "use --rate R"}, {"rps", "use --rate R"}, {"requests-per-second", "use --rate R"},
    {"k", "use --insecure"}, {"t", "use --workers N"},
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

std::optional<std::string_view> foreign_hint(std::string_view name) {
  const auto it = std::ranges::find(kHints, std::string_view(dashed(name)), &Hint::name);
  if (it == std::end(kHints)) return std::nullopt;
  return it->advice;
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
  return foreign_hint(name) || nearest_name(dashed(name), known_names(style, specs));
}

UsageError unknown_name(NameStyle style, std::string_view shown, std::string_view name,
                        std::span<const OptionSpec> specs, std::string_view command) {
  if (const auto hint = foreign_hint(name)) return UsageError(fmt::format("{}: {}", shown, *hint));
  const auto nearest = nearest_name(dashed(name), known_names(style, specs));
  if (!nearest)
    return UsageError(std::string(shown), fmt::format("infermeter {} --help lists the options.", command));
  return UsageError(fmt::format("{}; did you mean {}?", shown, written(style, *nearest)));
}

}  // namespace infermeter
