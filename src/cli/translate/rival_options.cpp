#include "cli/translate/rival_options.hpp"

#include <algorithm>
#include <array>

namespace infermeter {
namespace {

constexpr unsigned bit(Rival rival) { return 1U << static_cast<unsigned>(rival); }
constexpr unsigned kV = bit(Rival::vllm), kS = bit(Rival::sglang), kL = bit(Rival::guidellm);
constexpr unsigned kAiperf = bit(Rival::aiperf), kGenai = bit(Rival::genai_perf);
constexpr unsigned kVS = kV | kS, kA = kAiperf | kGenai;

using enum Becomes;
constexpr Arity k0 = Arity::none, k1 = Arity::one, kN = Arity::many;

constexpr std::string_view kNewPrompts = "every prompt is new";
constexpr std::string_view kNoProfiler = "the server's profiler is started by hand";
constexpr std::string_view kSaved = "every run is saved with all requests";
constexpr std::string_view kInReport = "infermeter report DIR --format html draws it";
constexpr std::string_view kNoRamp = "a ramp is not measured: --warmup 10s leaves the start out";
constexpr std::string_view kServerKnows = "the server counts the tokens";
constexpr std::string_view kNotScraped = "the server's and the GPU's own metrics are not read";
constexpr std::string_view kNoAudio = "audio is not sent";
constexpr std::string_view kNoVideo = "video is not sent";
constexpr std::string_view kByTheText = "the prompts of a file are sent as they are";
constexpr std::string_view kOneProcess = "worker threads are started as needed";
constexpr std::string_view kKnee = "a sweep ends by --stop-when 'ttft.p95 > 2s'";

// clang-format off: a table
constexpr RivalOption kRows[] = {
    // vllm bench serve, sglang.bench_serving
    {kVS, "base-url", k1, url}, {kVS, "host", k1, host}, {kVS, "port", k1, port}, {kVS, "endpoint", k1, path},
    {kVS, "backend", k1, api}, {kVS, "endpoint-type", k1, api}, {kVS, "model", k1, Becomes::model},
    {kVS, "served-model-name", k1, Becomes::model}, {kVS, "header", kN, header},
    {kVS, "request-rate", k1, rate}, {kVS, "max-concurrency", k1, in_flight}, {kVS, "num-prompts", k1, requests},
    {kVS, "num-prompt", k1, requests}, {kVS, "burstiness", k1, burstiness},
    {kVS, "ramp-up-strategy", k1, ramp}, {kVS, "ramp-up-start-rps", k1, ramp_from},
    {kVS, "ramp-up-end-rps", k1, ramp_to},
    {kVS, "random-input-len", k1, input}, {kVS, "random-input", k1, input}, {kVS, "input-len", k1, input},
    {kVS, "sonnet-input-len", k1, input}, {kVS, "gsp-question-len", k1, input},
    {kVS, "random-output-len", k1, output}, {kVS, "random-output", k1, output}, {kVS, "output-len", k1, output},
    {kVS, "sharegpt-output-len", k1, output}, {kVS, "custom-output-len", k1, output},
    {kVS, "sonnet-output-len", k1, output}, {kVS, "hf-output-len", k1, output},
    {kVS, "spec-bench-output-len", k1, output}, {kVS, "prefix-repetition-output-len", k1, output},
    {kVS, "gsp-output-len", k1, output},
    {kVS, "random-range-ratio", k1, range_ratio},
    {kVS, "random-prefix-len", k1, prefix}, {kVS, "sonnet-prefix-len", k1, prefix},
    {kVS, "prefix-repetition-prefix-len", k1, prefix}, {kVS, "gsp-system-prompt-len", k1, prefix},
    {kVS, "prefix-repetition-suffix-len", k1, suffix},
    {kVS, "prefix-repetition-num-prefixes", k1, prefixes}, {kVS, "gsp-num-groups", k1, prefixes},
    {kVS, "random-batch-size", k1, same, "batch-size"},
    {kVS, "random-mm-base-items-per-request", k1, images}, {kVS, "random-mm-bucket-config", k1, image_sizes},
    {kVS, "random-mm-limit-mm-per-prompt", k1, left_out, "every request has the same number of images"},
    {kVS, "random-mm-num-mm-items-range-ratio", k1, left_out, "every request has the same number of images"},
    {kVS, "dataset-name", k1, dataset}, {kVS, "dataset", k1, dataset}, {kVS, "dataset-path", k1, file},
    {kVS, "goodput", kN, goodput}, {kVS, "ignore-eos", k0, exact}, {kVS, "disable-ignore-eos", k0, inexact},
    {kVS, "temperature", k1, body, "temperature"}, {kVS, "top-p", k1, body, "top_p"},
    {kVS, "top-k", k1, body, "top_k"}, {kVS, "min-p", k1, body, "min_p"},
    {kVS, "frequency-penalty", k1, body, "frequency_penalty"},
    {kVS, "presence-penalty", k1, body, "presence_penalty"},
    {kVS, "repetition-penalty", k1, body, "repetition_penalty"},
    {kVS, "extra-body", k1, extra_body}, {kVS, "extra-request-body", k1, extra_body},
    {kVS, "disable-stream", k0, on, "no-stream"},
    {kVS, "num-warmups", k1, same, "warmup"}, {kVS, "warmup-requests", k1, same, "warmup"},
    {kVS, "result-dir", k1, same, "out"}, {kVS, "disable-tqdm", k0, quiet},
    {kVS, "output-file", k1, left_out, kSaved}, {kVS, "output-details", k0, left_out, kSaved},
    {kVS, "save-result", k0, left_out, kSaved}, {kVS, "save-detailed", k0, left_out, kSaved},
    {kVS, "append-result", k0, left_out, kSaved}, {kVS, "result-filename", k1, left_out, kSaved},
    {kVS, "metadata", kN, same, "label"}, {kVS, "label", k1, left_out, "--label K=V names a result"},
    {kVS, "ready-check-timeout-sec", k1, seconds, "wait-ready"}, {kVS, "insecure", k0, on, "insecure"},
    {kVS, "trust-remote-code", k0, left_out, kServerKnows}, {kVS, "skip-tokenizer-init", k0, left_out, kServerKnows},
    {kVS, "skip-chat-template", k0, left_out, "chat is templated by the server, completions are not"},
    {kVS, "custom-skip-chat-template", k0, left_out, "chat is templated by the server, completions are not"},
    {kVS, "apply-chat-template", k0, left_out, "chat is templated by the server, completions are not"},
    {kVS, "enable-multimodal-chat", k0, left_out, kByTheText}, {kVS, "no-oversample", k0, left_out, "a file is read again from its first item"},
    {kVS, "custom-ensure-client-side-data", k0, left_out, kByTheText},
    {kVS, "disable-shuffle", k0, implied}, {kVS, "no-stream", k0, implied}, // of the data set
    {kVS, "profile", k0, left_out, kNoProfiler}, {kVS, "flush-cache", k0, left_out, "--before-point CMD runs a command that does it"},
    {kVS, "pd-separated", k0, left_out, kNoProfiler},
    {kVS, "plot-timeline", k0, left_out, kInReport}, {kVS, "plot-dataset-stats", k0, left_out, kInReport},
    {kVS, "timeline-itl-thresholds", k1, left_out, kInReport},
    {kVS, "probe-request-rate", k1, left_out, "a [[class]] with probe = true in --config F is one"},
    {kVS, "hf-split", k1, left_out, "no data set is downloaded"}, {kVS, "hf-subset", k1, left_out, "no data set is downloaded"},
    {kVS, "hf-name", k1, left_out, "no data set is downloaded"},
    {kVS, "use-beam-search", k0, body, "use_beam_search"}, {kVS, "return-logprob", k0, same, "logprobs"},
    {kVS, "lora-name", kN, left_out, "--model NAME asks for an adapter; several are [[class]] blocks"},
    {kVS, "lora-modules", kN, left_out, "--model NAME asks for an adapter; several are [[class]] blocks"},
    {kVS, "self-timed", k0, replay}, {kVS, "timed-trace-chunk-hash-size", k1, left_out, "a block has 512 tokens"},
    {kVS, "timed-trace-sec-multiplier", k1, left_out, "time stamps are in milliseconds; --replay-speed 2x is faster"},
    {kVS, "percentile-metrics", k1, left_out, "p50, p90, p95 and p99 of every metric are reported"},
    {kVS, "metric-percentiles", k1, left_out, "p50, p90, p95 and p99 of every metric are reported"},
    {kVS, "request-id-prefix", k1, left_out, "every request carries X-Request-Id: <run>-<n>"},

    // AIPerf, genai-perf
    {kA, "u", k1, url}, {kA, "url", k1, url}, {kA, "endpoint", k1, path}, {kA, "custom-endpoint", k1, path},
    {kA, "endpoint-type", k1, api}, {kA, "m", k1, Becomes::model}, {kA, "model", k1, Becomes::model},
    {kA, "model-names", k1, Becomes::model}, {kA, "H", k1, header}, {kA, "header", k1, header},
    {kA, "api-key", k1, key}, {kA, "streaming", k0, streaming}, {kA, "url-strategy", k1, implied},
    {kA, "service-kind", k1, left_out, "the endpoint decides"}, {kA, "backend", k1, left_out, "the endpoint decides"},
    {kA, "transport", k1, implied}, {kA, "transport-type", k1, implied},
    {kA, "request-rate", k1, rate}, {kA, "concurrency", k1, in_flight},
    {kA, "request-count", k1, requests}, {kA, "num-requests", k1, requests},
    {kA, "conversation-num", k1, conversations}, {kA, "num-conversations", k1, conversations},
    {kA, "num-sessions", k1, conversations},
    {kA, "request-rate-mode", k1, arrival}, {kA, "arrival-pattern", k1, arrival},
    {kA, "arrival-smoothness", k1, burstiness},
    {kA, "benchmark-duration", k1, seconds, "duration"}, {kA, "benchmark-grace-period", k1, seconds, "timeout-drain"},
    {kA, "measurement-interval", k1, milliseconds, "duration"}, {kA, "p", k1, milliseconds, "duration"},
    {kA, "request-timeout-seconds", k1, seconds, "timeout"},
    {kA, "warmup-request-count", k1, same, "warmup"}, {kA, "num-warmup-requests", k1, same, "warmup"},
    {kA, "warmup-duration", k1, seconds, "warmup"},
    {kA, "warmup-concurrency", k1, left_out, "the warm-up has the load of the point"},
    {kA, "warmup-request-rate", k1, left_out, "the warm-up has the load of the point"},
    {kA, "warmup-arrival-pattern", k1, left_out, "the warm-up has the load of the point"},
    {kA, "concurrency-ramp-duration", k1, left_out, kNoRamp}, {kA, "request-rate-ramp-duration", k1, left_out, kNoRamp},
    {kA, "prefill-concurrency", k1, left_out, "only whole requests are capped"},
    {kA, "user-centric-rate", k1, left_out, "--turns with --think-time is the nearest"},
    {kA, "num-users", k1, in_flight},
    {kA, "synthetic-input-tokens-mean", k1, input}, {kA, "prompt-input-tokens-mean", k1, input}, {kA, "isl", k1, input},
    {kA, "synthetic-input-tokens-stddev", k1, input_spread}, {kA, "prompt-input-tokens-stddev", k1, input_spread},
    {kA, "isl-stddev", k1, input_spread},
    {kA, "output-tokens-mean", k1, output}, {kA, "prompt-output-tokens-mean", k1, output}, {kA, "osl", k1, output},
    {kA, "output-tokens-stddev", k1, output_spread}, {kA, "prompt-output-tokens-stddev", k1, output_spread},
    {kA, "osl-stddev", k1, output_spread},
    {kA, "output-tokens-mean-deterministic", k0, exact},
    {kA, "prefix-prompt-length", k1, prefix}, {kA, "prompt-prefix-length", k1, prefix},
    {kA, "num-prefix-prompts", k1, prefixes}, {kA, "prefix-prompt-pool-size", k1, prefixes},
    {kA, "prompt-prefix-pool-size", k1, prefixes},
    {kA, "b", k1, same, "batch-size"}, {kA, "batch-size", k1, same, "batch-size"},
    {kA, "batch-size-text", k1, same, "batch-size"}, {kA, "prompt-batch-size", k1, same, "batch-size"},
    {kA, "input-file", k1, file}, {kA, "custom-dataset-type", k1, file_format}, {kA, "fixed-schedule", k0, replay},
    {kA, "fixed-schedule-auto-offset", k0, implied},
    {kA, "public-dataset", k1, dataset}, {kA, "dataset-sampling-strategy", k1, left_out, "items are sent in file order"},
    {kA, "conversation-turn-mean", k1, turns}, {kA, "session-turns-mean", k1, turns},
    {kA, "conversation-turn-stddev", k1, turns_spread}, {kA, "session-turns-stddev", k1, turns_spread},
    {kA, "conversation-turn-delay-mean", k1, delay}, {kA, "session-turn-delay-mean", k1, delay},
    {kA, "conversation-turn-delay-stddev", k1, delay_spread}, {kA, "session-turn-delay-stddev", k1, delay_spread},
    {kA, "conversation-turn-delay-ratio", k1, left_out, "the think time is drawn as it is"},
    {kA, "image-batch-size", k1, images}, {kA, "batch-size-image", k1, images},
    {kA, "image-width-mean", k1, image_width}, {kA, "image-height-mean", k1, image_height},
    {kA, "image-width-stddev", k1, left_out, "all images have one size"}, {kA, "image-height-stddev", k1, left_out, "all images have one size"},
    {kA, "image-format", k1, left_out, "images are PNG"},
    {kA, "audio-length-mean", k1, left_out, kNoAudio}, {kA, "audio-batch-size", k1, left_out, kNoAudio},
    {kA, "video-duration", k1, left_out, kNoVideo}, {kA, "video-width", k1, left_out, kNoVideo},
    {kA, "video-height", k1, left_out, kNoVideo}, {kA, "video-fps", k1, left_out, kNoVideo},
    {kA, "request-cancellation-rate", k1, cancel_rate}, {kA, "request-cancellation-delay", k1, cancel_delay},
    {kA, "goodput", kN, goodput}, {kA, "extra-inputs", kN, extra_inputs},
    {kA, "num-dataset-entries", k1, left_out, kNewPrompts}, {kA, "num-prompts", k1, left_out, kNewPrompts},
    {kA, "tokenizer-trust-remote-code", k0, left_out, kServerKnows}, {kA, "tokenizer-revision", k1, left_out, kServerKnows},
    {kA, "use-server-token-count", k0, implied},
    {kA, "use-legacy-max-tokens", k0, left_out, "the field that the server takes is found out"},
    {kA, "connection-reuse-strategy", k1, left_out, "connections are kept; --fresh-connections, --session-connection"},
    {kA, "output-artifact-dir", k1, same, "out"}, {kA, "artifact-dir", k1, same, "out"}, {kA, "output-dir", k1, same, "out"},
    {kA, "profile-export-file", k1, left_out, kSaved}, {kA, "profile-export-prefix", k1, left_out, kSaved},
    {kA, "export-level", k1, left_out, kSaved}, {kA, "generate-plots", k0, left_out, kInReport},
    {kA, "slice-duration", k1, left_out, "the page shows the run over time"},
    {kA, "stability-percentage", k1, left_out, "steady state is found from the records"}, {kA, "s", k1, left_out, "steady state is found from the records"},
    {kA, "workers-max", k1, left_out, kOneProcess}, {kA, "max-workers", k1, left_out, kOneProcess},
    {kA, "max-threads", k1, left_out, kOneProcess}, {kA, "record-processors", k1, left_out, kOneProcess},
    {kA, "record-processor-service-count", k1, left_out, kOneProcess},
    {kA, "gpu-telemetry", kN, left_out, kNotScraped}, {kA, "no-gpu-telemetry", k0, implied},
    {kA, "server-metrics", kN, left_out, kNotScraped}, {kA, "server-metrics-url", kN, left_out, kNotScraped},
    {kA, "no-server-metrics", k0, implied},
    {kA, "num-profile-runs", k1, same, "runs"}, {kA, "profile-run-cooldown-seconds", k1, seconds, "cooldown"},
    {kA, "verbose", k0, implied}, {kA, "v", k0, implied}, {kA, "vv", k0, implied}, {kA, "log-level", k1, implied},

    // guidellm
    {kL, "target", k1, url}, {kL, "model", k1, Becomes::model}, {kL, "request-type", k1, api}, {kL, "request-format", k1, api},
    {kL, "backend", k1, api}, {kL, "backend-type", k1, api},
    {kL, "backend-args", k1, left_out, "fields of the body go into --extra-body, a key into OPENAI_API_KEY"},
    {kL, "backend-kwargs", k1, left_out, "fields of the body go into --extra-body, a key into OPENAI_API_KEY"},
    {kL, "rate-type", k1, profile}, {kL, "profile", k1, profile}, {kL, "rate", kN, rate},
    {kL, "max-seconds", k1, seconds, "duration"}, {kL, "max-duration", k1, seconds, "duration"},
    {kL, "max-requests", k1, requests}, {kL, "constraint", k1, constraint},
    {kL, "max-errors", k1, left_out, "a share ends a run: --max-error-rate 10%"},
    {kL, "max-global-error-rate", k1, same, "max-error-rate"}, {kL, "max-error-rate", k1, same, "max-error-rate"},
    {kL, "data", kN, data}, {kL, "random-seed", k1, same, "seed"}, {kL, "seed", k1, same, "seed"},
    {kL, "data-type", k1, implied}, {kL, "data-args", k1, left_out, kByTheText}, {kL, "data-samples", k1, left_out, kNewPrompts},
    {kL, "data-sampler", k1, left_out, "items are sent in file order"}, {kL, "data-column-mapper", k1, left_out, "the items have `prompt` or `messages`"},
    {kL, "data-loader", k1, left_out, "items are sent in file order"}, {kL, "processor-args", k1, left_out, kServerKnows},
    {kL, "warmup-percent", k1, warmup_share}, {kL, "warmup", k1, warmup_share},
    {kL, "cooldown-percent", k1, left_out, "the end is not left out: the drain is not measured"},
    {kL, "cooldown", k1, left_out, "the end is not left out: the drain is not measured"},
    {kL, "rampup", k1, left_out, kNoRamp}, {kL, "images-per-request", k1, images},
    {kL, "output-dir", k1, same, "out"}, {kL, "output-path", k1, left_out, kSaved}, {kL, "outputs", kN, left_out, kSaved},
    {kL, "output-formats", kN, left_out, kSaved}, {kL, "output-extras", k1, left_out, "--label K=V is stored in the result"},
    {kL, "disable-progress", k0, quiet}, {kL, "disable-console", k0, quiet}, {kL, "disable-console-outputs", k0, quiet},
    {kL, "display-scheduler-stats", k0, implied}, {kL, "detect-saturation", k0, left_out, kKnee},
    {kL, "over-saturation", kN, left_out, kKnee}, {kL, "scenario", k1, left_out, "infermeter scenarios lists those of infermeter"},
};
// clang-format on

constexpr std::array<std::string_view, 5> kTitles{
    "vllm bench serve", "sglang.bench_serving", "aiperf profile", "genai-perf profile", "guidellm benchmark"};

}  // namespace

std::string_view title_of(Rival rival) { return kTitles[static_cast<std::size_t>(rival)]; }

const RivalOption* find_rival_option(Rival rival, std::string_view name) {
  const auto* it = std::ranges::find_if(
      kRows, [&](const RivalOption& row) { return row.name == name && (row.rivals & bit(rival)) != 0; });
  return it == std::end(kRows) ? nullptr : it;
}

}  // namespace infermeter
