#include "cli/options/rival_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace infermeter {
namespace {

constexpr unsigned bit(Rival rival) { return 1U << static_cast<unsigned>(rival); }
constexpr unsigned kV = bit(Rival::vllm), kS = bit(Rival::sglang), kL = bit(Rival::guidellm);
constexpr unsigned kR = bit(Rival::llmperf), kO = bit(Rival::others);
constexpr unsigned kVS = kV | kS, kA = bit(Rival::aiperf) | bit(Rival::genai_perf), kAll = kVS | kA | kL | kR;

// Apart from the room's other names.
namespace rival_table {

using enum Becomes;
constexpr Arity k0 = Arity::none, k1 = Arity::one, k2 = Arity::two, kN = Arity::many;

constexpr std::string_view kNewPrompts = "every prompt is new";
constexpr std::string_view kNoTokenizer = "none is needed: the server counts the tokens";
constexpr std::string_view kNoProfiler = "the server's profiler is started by hand";
constexpr std::string_view kNoDownload = "no data set is downloaded";
constexpr std::string_view kResetCache = "--before-point CMD runs a command that does it";
constexpr std::string_view kSaved = "every run is saved with all requests";
constexpr std::string_view kLabel = "--label K=V names a result";
constexpr std::string_view kInReport = "infermeter report DIR --format html draws it";
constexpr std::string_view kNoRamp = "a ramp is not measured: --warmup 10s leaves the start out";
constexpr std::string_view kNotScraped = "the server's and the GPU's own metrics are not read";
constexpr std::string_view kNoAudio = "audio is not sent";
constexpr std::string_view kNoVideo = "video is not sent";
constexpr std::string_view kPng = "images are PNG";
constexpr std::string_view kSameImages = "every request has the same number of images";
constexpr std::string_view kByTheText = "the prompts of a file are sent as they are";
constexpr std::string_view kInOrder = "items are sent in file order";
constexpr std::string_view kColumns = "the items have `prompt` or `messages`";
constexpr std::string_view kTemplate = "chat is templated by the server, completions are not";
constexpr std::string_view kAdapters = "--model NAME asks for an adapter; several are [[class]] blocks";
constexpr std::string_view kMixes =
    "one distribution of lengths here; several are [[class]] blocks of --config F";
constexpr std::string_view kWholeTrace = "a trace is replayed from its first line; -n N ends it";
constexpr std::string_view kOneProcess = "worker threads are started as needed";
constexpr std::string_view kWarmupLoad = "the warm-up has the load of the point";
constexpr std::string_view kThinkTime = "the think time is drawn as it is";
constexpr std::string_view kCooldown = "the end is not left out: the drain is not measured";
constexpr std::string_view kBackendFields =
    "fields of the body go into --extra-body, a key into OPENAI_API_KEY";
constexpr std::string_view kKnee = "a sweep ends by --stop-when 'ttft.p95 > 2s'";
constexpr std::string_view kSteady = "steady state is found from the records";
constexpr std::string_view kScenarios = "infermeter scenarios lists those of infermeter";
constexpr std::string_view kTheirFile = "its file is not read; --config F is TOML with the names of options";
constexpr std::string_view kProgress = "use --progress auto|bar|plain|json|none";
constexpr std::string_view kAllPercentiles = "p50, p90, p95 and p99 of every metric are reported";
constexpr std::string_view kNoWarmup = "use --warmup 0: nothing is left out then";
constexpr std::string_view kList = "several values make a sweep: -c 1,2,4,8, or --rate 1,2,5";
constexpr std::string_view kFormats = "use --format table|json|csv|…";

// clang-format off: a table
constexpr RivalOption kRows[] = {
    {kAll, "tokenizer", k1, left_out, kNoTokenizer}, {kAll, "trust-remote-code", k0, left_out, kNoTokenizer},
    {kVS, "tokenizer-mode", k1, left_out, kNoTokenizer}, {kVS, "skip-tokenizer-init", k0, left_out, kNoTokenizer},
    {kA, "tokenizer-trust-remote-code", k0, left_out, kNoTokenizer}, {kA, "tokenizer-revision", k1, left_out, kNoTokenizer},
    {kL, "processor", k1, left_out, kNoTokenizer}, {kL, "processor-args", k1, left_out, kNoTokenizer},

    // vllm bench serve, sglang.bench_serving
    {kVS, "base-url", k1, url}, {kVS, "host", k1, host}, {kVS, "port", k1, port}, {kVS, "endpoint", k1, path},
    {kVS, "backend", k1, api}, {kVS, "endpoint-type", k1, api}, {kVS, "model", k1, Becomes::model},
    {kVS, "served-model-name", k1, served_model}, {kVS, "header", kN, header},
    {kVS, "request-rate", k1, rate}, {kVS, "max-concurrency", k1, in_flight}, {kVS, "num-prompts", k1, requests},
    {kVS, "num-prompt", k1, requests}, {kVS, "burstiness", k1, burstiness},
    {kVS, "ramp-up-strategy", k1, ramp}, {kVS, "ramp-up-start-rps", k1, ramp_from}, {kVS, "ramp-up-end-rps", k1, ramp_to},
    {kVS, "random-input-len", k1, input}, {kVS, "random-input", k1, input}, {kVS, "input-len", k1, input},
    {kVS, "sonnet-input-len", k1, input}, {kVS, "gsp-question-len", k1, input},
    {kVS, "random-output-len", k1, output}, {kVS, "random-output", k1, output}, {kVS, "output-len", k1, output},
    {kVS, "sharegpt-output-len", k1, output}, {kVS, "custom-output-len", k1, output},
    {kVS, "sonnet-output-len", k1, output}, {kVS, "hf-output-len", k1, output},
    {kVS, "spec-bench-output-len", k1, output}, {kVS, "speed-bench-output-len", k1, output},
    {kVS, "prefix-repetition-output-len", k1, output}, {kVS, "gsp-output-len", k1, output},
    {kVS, "random-range-ratio", k1, range_ratio}, {kVS, "gsp-range-ratio", k1, range_ratio},
    {kVS, "random-prefix-len", k1, prefix}, {kVS, "sonnet-prefix-len", k1, prefix},
    {kVS, "prefix-repetition-prefix-len", k1, prefix}, {kVS, "gsp-system-prompt-len", k1, prefix},
    {kVS, "prefix-repetition-suffix-len", k1, suffix},
    {kVS, "prefix-repetition-num-prefixes", k1, prefixes}, {kVS, "gsp-num-groups", k1, prefixes},
    {kVS, "gsp-prompts-per-group", k1, per_prefix}, {kVS, "gsp-num-turns", k1, turns},
    {kVS, "gsp-group-distribution", k1, left_out, "the prefixes take turns"},
    {kVS, "gsp-zipf-alpha", k1, left_out, "the prefixes take turns"}, {kVS, "gsp-ordered", k0, implied},
    {kVS, "gsp-fast-prepare", k0, implied}, {kVS, "gsp-send-routing-key", k0, left_out, "no routing key is sent"},
    {kVS, "random-batch-size", k1, same, "batch-size"}, {kVS, "no-reranker", k0, implied},
    {kVS, "image-count", k1, images}, {kVS, "image-resolution", k1, image_sizes},
    {kVS, "image-format", k1, left_out, kPng}, {kVS, "image-content", k1, left_out, "images are noise"},
    {kVS, "random-image-count", k0, left_out, kSameImages},
    {kVS, "random-mm-base-items-per-request", k1, images}, {kVS, "random-mm-bucket-config", k1, image_sizes},
    {kVS, "random-mm-limit-mm-per-prompt", k1, left_out, kSameImages},
    {kVS, "random-mm-num-mm-items-range-ratio", k1, left_out, kSameImages},
    {kVS, "dataset-name", k1, dataset}, {kVS, "dataset", k1, dataset}, {kVS, "dataset-path", k1, file},
    {kVS, "goodput", kN, goodput}, {kVS, "ignore-eos", k0, exact}, {kVS, "disable-ignore-eos", k0, inexact},
    {kVS, "temperature", k1, body, "temperature"}, {kVS, "top-p", k1, body, "top_p"},
    {kVS, "top-k", k1, body, "top_k"}, {kVS, "min-p", k1, body, "min_p"},
    {kVS, "frequency-penalty", k1, body, "frequency_penalty"}, {kVS, "presence-penalty", k1, body, "presence_penalty"},
    {kVS, "repetition-penalty", k1, body, "repetition_penalty"}, {kVS, "best-of", k1, body, "best_of"},
    {kVS, "chat-template-kwargs", k1, body, "chat_template_kwargs"}, {kVS, "use-beam-search", k0, body, "use_beam_search"},
    {kVS, "extra-body", k1, extra_body}, {kVS, "extra-request-body", k1, extra_body},
    {kVS, "disable-stream", k0, on, "no-stream"},
    {kVS, "warmup-requests", k1, same, "warmup"}, {kVS, "disable-tqdm", k0, quiet},
    {kVS, "output-file", k1, left_out, kSaved}, {kVS, "output-details", k0, left_out, kSaved},
    {kVS, "save-result", k0, left_out, kSaved}, {kVS, "save-detailed", k0, left_out, kSaved},
    {kVS, "append-result", k0, left_out, kSaved}, {kVS, "result-filename", k1, left_out, kSaved},
    {kVS, "metadata", kN, same, "label"}, {kVS, "label", k1, left_out, kLabel}, {kVS, "tag", k1, left_out, kLabel},
    {kVS, "ready-check-timeout-sec", k1, seconds, "wait-ready"}, {kVS, "insecure", k0, on, "insecure"},
    {kVS, "skip-chat-template", k0, left_out, kTemplate}, {kVS, "custom-skip-chat-template", k0, left_out, kTemplate},
    {kVS, "apply-chat-template", k0, left_out, kTemplate},
    {kVS, "enable-multimodal-chat", k0, left_out, kByTheText},
    {kVS, "custom-ensure-client-side-data", k0, left_out, kByTheText},
    {kVS, "tokenize-prompt", k0, left_out, "prompts are text"}, {kVS, "prompt-suffix", k1, left_out, kByTheText},
    {kVS, "no-oversample", k0, left_out, "a file is read again from its first item"},
    {kVS, "sharegpt-context-len", k1, left_out, "items that are too long fail and are counted"},
    {kVS, "dataset-offset", k1, left_out, kInOrder},
    {kVS, "disable-shuffle", k0, implied}, {kVS, "no-stream", k0, implied}, // of the data set
    {kV, "profile", k0, left_out, kNoProfiler}, {kS, "profile", k0, left_out, kNoProfiler},
    {kVS, "profile-activities", kN, left_out, kNoProfiler}, {kVS, "profile-num-steps", k1, left_out, kNoProfiler},
    {kVS, "profile-steps", k1, left_out, kNoProfiler}, {kVS, "profile-start-step", k1, left_out, kNoProfiler},
    {kVS, "profile-by-stage", k0, left_out, kNoProfiler}, {kVS, "profile-stages", kN, left_out, kNoProfiler},
    {kVS, "profile-output-dir", k1, left_out, kNoProfiler}, {kVS, "profile-prefix", k1, left_out, kNoProfiler},
    {kVS, "profile-prefill-url", kN, left_out, kNoProfiler}, {kVS, "profile-decode-url", kN, left_out, kNoProfiler},
    {kVS, "pd-separated", k0, left_out, kNoProfiler}, {kVS, "fake-prefill", k0, left_out, "whole requests are measured"},
    {kVS, "flush-cache", k0, left_out, kResetCache}, {kVS, "flush-cache-timeout", k1, left_out, kResetCache},
    {kVS, "cache-report", k0, implied}, {kVS, "print-requests", k0, left_out, "--save-text keeps the answers"},
    {kVS, "plot-timeline", k0, left_out, kInReport}, {kVS, "plot-dataset-stats", k0, left_out, kInReport},
    {kVS, "plot-throughput", k0, left_out, kInReport}, {kVS, "timeline-itl-thresholds", k1, left_out, kInReport},
    {kVS, "probe-request-rate", k1, left_out, "a [[class]] with probe = true in --config F is one"},
    {kVS, "hf-split", k1, left_out, kNoDownload}, {kVS, "hf-subset", k1, left_out, kNoDownload},
    {kVS, "hf-name", k1, left_out, kNoDownload}, {kVS, "spec-bench-category", k1, left_out, kNoDownload},
    {kVS, "speed-bench-category", k1, left_out, kNoDownload}, {kVS, "speed-bench-dataset-subset", k1, left_out, kNoDownload},
    {kVS, "bfcl-categories", k1, left_out, kNoDownload}, {kVS, "blazedit-min-distance", k1, left_out, kNoDownload},
    {kVS, "blazedit-max-distance", k1, left_out, kNoDownload}, {kVS, "mooncake-workload", k1, left_out, kNoDownload},
    {kVS, "agentic-max-turns", k1, left_out, kNoDownload},
    {kVS, "return-logprob", k0, left_out, "--logprobs N asks for them"}, {kVS, "top-logprobs-num", k1, same, "logprobs"},
    {kVS, "token-ids-logprob", kN, left_out, "--logprobs N asks for them"},
    {kVS, "logprob-start-len", k1, left_out, "--logprobs N asks for them"},
    {kVS, "return-routed-experts", k0, left_out, "fields of the body go into --extra-body"},
    {kVS, "lora-name", kN, left_out, kAdapters}, {kVS, "lora-modules", kN, left_out, kAdapters},
    {kVS, "lora-assignment", k1, left_out, kAdapters}, {kVS, "lora-request-distribution", k1, left_out, kAdapters},
    {kVS, "lora-zipf-alpha", k1, left_out, kAdapters},
    {kVS, "self-timed", k0, replay}, {kVS, "no-self-timed", k0, no_replay}, {kVS, "use-trace-timestamps", k0, replay},
    {kVS, "mooncake-slowdown-factor", k1, slower}, {kVS, "timed-trace-sec-multiplier", k1, trace_unit},
    {kVS, "mooncake-num-rounds", k1, left_out, "each line of a trace is one request"},
    {kVS, "timed-trace-chunk-hash-size", k1, left_out, "a block has 512 tokens"},
    {kVS, "percentile-metrics", k1, left_out, kAllPercentiles}, {kVS, "metric-percentiles", k1, left_out, kAllPercentiles},
    {kVS, "request-id-prefix", k1, left_out, "every request carries X-Request-Id: <run>-<n>"},

    // AIPerf, genai-perf
    {kA, "u", k1, url}, {kA, "url", k1, url}, {kA, "endpoint", k1, path}, {kA, "custom-endpoint", k1, path},
    {kA, "endpoint-type", k1, api}, {kA, "m", k1, Becomes::model}, {kA, "model", k1, Becomes::model},
    {kA, "model-names", k1, Becomes::model}, {kA, "H", k1, header}, {kA, "header", k1, header},
    {kA, "model-selection-strategy", k1, left_out, "several models are [[class]] blocks of --config F"},
    {kA, "api-key", k1, key}, {kA, "streaming", k0, streaming}, {kA, "url-strategy", k1, implied},
    {kA, "service-kind", k1, left_out, "the endpoint decides"}, {kA, "backend", k1, left_out, "the endpoint decides"},
    {kA, "transport", k1, implied}, {kA, "transport-type", k1, implied},
    {kA, "wait-for-model-timeout", k1, seconds, "wait-ready"}, {kA, "wait-for-model-mode", k1, implied},
    {kA, "wait-for-model-interval", k1, implied},
    {kA, "reset-kv-cache", k0, left_out, kResetCache}, {kA, "reset-kv-cache-path", k1, left_out, kResetCache},
    {kA, "reset-kv-cache-timeout-seconds", k1, left_out, kResetCache}, {kA, "server-profiler", k0, left_out, kNoProfiler},
    {kA, "request-rate", k1, rate}, {kA, "concurrency", k1, in_flight}, {kA, "session-concurrency", k1, in_flight},
    {kA, "request-count", k1, requests}, {kA, "num-requests", k1, requests},
    {kA, "conversation-num", k1, conversations}, {kA, "num-conversations", k1, conversations},
    {kA, "num-sessions", k1, conversations},
    {kA, "request-rate-mode", k1, arrival}, {kA, "arrival-pattern", k1, arrival},
    {kA, "arrival-smoothness", k1, burstiness}, {kA, "vllm-burstiness", k1, burstiness},
    {kA, "request-rate-series", k1, left_out, "--stages T:N,… changes the rate"},
    {kA, "benchmark-duration", k1, seconds, "duration"}, {kA, "benchmark-grace-period", k1, drain},
    {kA, "measurement-interval", k1, milliseconds, "duration"}, {kA, "p", k1, milliseconds, "duration"},
    {kA, "request-timeout-seconds", k1, seconds, "timeout"}, {kA, "failed-request-threshold", k1, same, "max-error-rate"},
    {kA, "num-warmup-requests", k1, same, "warmup"}, {kA, "num-warmup-sessions", k1, same, "warmup"},
    {kA, "warmup-duration", k1, seconds, "warmup"}, {kA, "warmup-grace-period", k1, left_out, kWarmupLoad},
    {kA, "warmup-concurrency", k1, left_out, kWarmupLoad}, {kA, "warmup-request-rate", k1, left_out, kWarmupLoad},
    {kA, "warmup-arrival-pattern", k1, left_out, kWarmupLoad}, {kA, "warmup-prefill-concurrency", k1, left_out, kWarmupLoad},
    {kA, "concurrency-ramp-duration", k1, left_out, kNoRamp}, {kA, "request-rate-ramp-duration", k1, left_out, kNoRamp},
    {kA, "prefill-concurrency-ramp-duration", k1, left_out, kNoRamp},
    {kA, "prefill-concurrency", k1, left_out, "only whole requests are capped"},
    {kA, "user-centric-rate", k1, left_out, "--turns with --think-time is the nearest"}, {kA, "num-users", k1, in_flight},
    {kA, "synthetic-input-tokens-mean", k1, input}, {kA, "prompt-input-tokens-mean", k1, input}, {kA, "isl", k1, input},
    {kA, "synthetic-input-tokens-stddev", k1, input_spread}, {kA, "prompt-input-tokens-stddev", k1, input_spread},
    {kA, "isl-stddev", k1, input_spread},
    {kA, "output-tokens-mean", k1, output}, {kA, "prompt-output-tokens-mean", k1, output}, {kA, "osl", k1, output},
    {kA, "output-tokens-stddev", k1, output_spread}, {kA, "prompt-output-tokens-stddev", k1, output_spread},
    {kA, "osl-stddev", k1, output_spread}, {kA, "output-tokens-mean-deterministic", k0, exact},
    {kA, "seq-dist", k1, left_out, kMixes}, {kA, "sequence-distribution", k1, left_out, kMixes},
    {kA, "prefix-prompt-length", k1, prefix}, {kA, "prompt-prefix-length", k1, prefix},
    {kA, "shared-system-prompt-length", k1, prefix},
    {kA, "user-context-prompt-length", k1, left_out, "a prompt has one shared prefix; --turns repeats a conversation's own"},
    {kA, "num-prefix-prompts", k1, prefixes}, {kA, "prefix-prompt-pool-size", k1, prefixes},
    {kA, "prompt-prefix-pool-size", k1, prefixes}, {kA, "cache-bust", k1, left_out, kNewPrompts},
    {kA, "prompt-corpus", k1, left_out, "prompts are random words"},
    {kA, "b", k1, same, "batch-size"}, {kA, "batch-size-text", k1, same, "batch-size"},
    {kA, "prompt-batch-size", k1, same, "batch-size"},
    {kA, "input-file", k1, file}, {kA, "custom-dataset-type", k1, file_format}, {kA, "fixed-schedule", k0, replay},
    {kA, "no-fixed-schedule", k0, no_replay}, {kA, "fixed-schedule-auto-offset", k0, implied},
    {kA, "fixed-schedule-start-offset", k1, left_out, kWholeTrace},
    {kA, "fixed-schedule-end-offset", k1, left_out, kWholeTrace},
    {kA, "synthesis-speedup-ratio", k1, faster}, {kA, "replay-speedup", k1, faster},
    {kA, "public-dataset", k1, dataset}, {kA, "dataset-sampling-strategy", k1, left_out, kInOrder},
    {kA, "conversation-turn-mean", k1, turns}, {kA, "session-turns-mean", k1, turns},
    {kA, "conversation-turn-stddev", k1, turns_spread}, {kA, "session-turns-stddev", k1, turns_spread},
    {kA, "conversation-turn-delay-mean", k1, delay}, {kA, "session-turn-delay-mean", k1, delay},
    {kA, "conversation-turn-delay-stddev", k1, delay_spread}, {kA, "session-turn-delay-stddev", k1, delay_spread},
    {kA, "conversation-turn-delay-ratio", k1, left_out, kThinkTime}, {kA, "session-delay-ratio", k1, left_out, kThinkTime},
    {kA, "image-batch-size", k1, images}, {kA, "batch-size-image", k1, images},
    {kA, "image-width-mean", k1, image_width}, {kA, "image-height-mean", k1, image_height},
    {kA, "image-width-stddev", k1, left_out, "all images have one size"},
    {kA, "image-height-stddev", k1, left_out, "all images have one size"},
    {kA, "image-format", k1, left_out, kPng}, {kA, "image-source", k1, left_out, "images are noise"},
    {kA, "audio-length-mean", k1, left_out, kNoAudio}, {kA, "audio-length-stddev", k1, left_out, kNoAudio},
    {kA, "audio-batch-size", k1, left_out, kNoAudio}, {kA, "batch-size-audio", k1, left_out, kNoAudio},
    {kA, "audio-format", k1, left_out, kNoAudio}, {kA, "audio-sample-rates", k1, left_out, kNoAudio},
    {kA, "video-duration", k1, left_out, kNoVideo}, {kA, "video-width", k1, left_out, kNoVideo},
    {kA, "video-height", k1, left_out, kNoVideo}, {kA, "video-fps", k1, left_out, kNoVideo},
    {kA, "video-batch-size", k1, left_out, kNoVideo},
    {kA, "request-cancellation-rate", k1, cancel_rate}, {kA, "request-cancellation-delay", k1, cancel_delay},
    {kA, "goodput", kN, goodput}, {kA, "extra-inputs", kN, extra_inputs},
    {kA, "num-dataset-entries", k1, left_out, kNewPrompts}, {kA, "num-prompts", k1, left_out, kNewPrompts},
    {kA, "use-server-token-count", k0, implied}, {kA, "apply-chat-template", k0, implied},
    {kA, "use-legacy-max-tokens", k0, left_out, "the field that the server takes is found out"},
    {kA, "connection-reuse-strategy", k1, connections},
    {kA, "output-artifact-dir", k1, same, "out"}, {kA, "output-dir", k1, same, "out"},
    {kA, "profile-export-file", k1, left_out, kSaved}, {kA, "profile-export-prefix", k1, left_out, kSaved},
    {kA, "export-level", k1, left_out, kSaved}, {kA, "profile-export-level", k1, left_out, kSaved},
    {kA, "checkpoint-directory", k1, left_out, kSaved}, {kA, "export-http-trace", k0, implied},
    {kA, "export-outputs-json", k0, on, "save-text"},
    {kA, "generate-plots", k0, left_out, kInReport}, {kA, "auto-plot", k0, left_out, kInReport},
    {kA, "show-trace-timing", k0, left_out, kInReport},
    {kA, "slice-duration", k1, left_out, "the page shows the run over time"},
    {kA, "stability-percentage", k1, left_out, kSteady}, {kA, "s", k1, left_out, kSteady},
    {kA, "workers-max", k1, left_out, kOneProcess}, {kA, "max-workers", k1, left_out, kOneProcess},
    {kA, "max-threads", k1, left_out, kOneProcess}, {kA, "record-processors", k1, left_out, kOneProcess},
    {kA, "record-processor-service-count", k1, left_out, kOneProcess},
    {kA, "gpu-telemetry", kN, left_out, kNotScraped}, {kA, "no-gpu-telemetry", k0, implied},
    {kA, "server-metrics", kN, left_out, kNotScraped}, {kA, "server-metrics-url", kN, left_out, kNotScraped},
    {kA, "server-metrics-urls", kN, left_out, kNotScraped}, {kA, "server-metrics-formats", kN, left_out, kNotScraped},
    {kA, "no-server-metrics", k0, implied},
    {kA, "num-profile-runs", k1, same, "runs"}, {kA, "profile-run-cooldown-seconds", k1, seconds, "cooldown"},
    {kA, "verbose", k0, implied}, {kA, "v", k0, implied}, {kA, "vv", k0, implied}, {kA, "log-level", k1, implied},
    {kA, "config", k1, left_out, kTheirFile}, {kA, "f", k1, left_out, kTheirFile},
    {kA, "scenario", k1, left_out, kScenarios},
    {kA, "ui", k1, left_out, kProgress}, {kA, "ui-type", k1, left_out, kProgress},

    // guidellm
    {kL, "target", k1, url}, {kL, "model", k1, Becomes::model},
    {kL, "request-type", k1, api}, {kL, "request-format", k1, api},
    {kL, "backend", k1, api}, {kL, "backend-type", k1, api},
    {kL, "backend-args", k1, left_out, kBackendFields}, {kL, "backend-kwargs", k1, left_out, kBackendFields},
    {kL, "request-formatter-kwargs", k1, left_out, kBackendFields},
    {kL, "rate-type", k1, profile}, {kL, "profile", k1, profile}, {kL, "rate", kN, rate},
    {kL, "override", k2, overrides},
    {kL, "max-seconds", k1, seconds, "duration"}, {kL, "max-duration", k1, seconds, "duration"},
    {kL, "max-requests", k1, requests}, {kL, "constraint", k1, constraint},
    {kL, "max-errors", k1, left_out, "a share ends a run: --max-error-rate 10%"},
    {kL, "max-global-error-rate", k1, same, "max-error-rate"}, {kL, "max-error-rate", k1, same, "max-error-rate"},
    {kL, "data", kN, data}, {kL, "random-seed", k1, seed}, {kL, "seed", k1, seed},
    {kL, "data-type", k1, implied}, {kL, "data-args", k1, left_out, kByTheText}, {kL, "data-samples", k1, left_out, kNewPrompts},
    {kL, "data-sampler", k1, left_out, kInOrder}, {kL, "data-column-mapper", k1, left_out, kColumns},
    {kL, "data-loader", k1, left_out, kInOrder}, {kL, "dataloader-kwargs", k1, left_out, kInOrder},
    {kL, "data-preprocessor", k1, left_out, kByTheText}, {kL, "data-preprocessors", k1, left_out, kByTheText},
    {kL, "data-preprocessors-kwargs", k1, left_out, kByTheText}, {kL, "data-finalizer", k1, left_out, kByTheText},
    {kL, "data-num-workers", k1, implied}, {kL, "metrics", k1, left_out, kSaved},
    {kL, "warmup-percent", k1, warmup_share}, {kL, "warmup", k1, warmup_share},
    {kL, "cooldown-percent", k1, left_out, kCooldown}, {kL, "cooldown", k1, left_out, kCooldown},
    {kL, "batch-size", k1, left_out, "a request has one prompt; -c N is the number in flight"},
    {kL, "rampup", k1, left_out, kNoRamp}, {kL, "images-per-request", k1, images},
    {kL, "output-dir", k1, same, "out"}, {kL, "output-path", k1, left_out, kSaved}, {kL, "output", k1, left_out, kSaved},
    {kL, "outputs", kN, left_out, kSaved}, {kL, "output-formats", kN, left_out, kSaved},
    {kL, "sample-requests", k1, left_out, kSaved}, {kL, "output-sampling", k1, left_out, kSaved},
    {kL, "output-extras", k1, left_out, "--label K=V is stored in the result"},
    {kL, "disable-progress", k0, quiet}, {kL, "disable-console", k0, quiet}, {kL, "disable-console-outputs", k0, quiet},
    {kL, "disable-console-interactive", k0, quiet},
    {kL, "display-scheduler-stats", k0, implied}, {kL, "detect-saturation", k0, left_out, kKnee},
    {kL, "default-over-saturation", k0, left_out, kKnee}, {kL, "over-saturation", kN, left_out, kKnee},
    {kL, "per-constraints", k1, left_out, "the ends are those of every point"},
    {kL, "scenario", k1, left_out, kScenarios}, {kL, "config", k1, left_out, kTheirFile}, {kL, "c", k1, left_out, kTheirFile},

    // llmperf's token_benchmark_ray.py
    {kR, "model", k1, Becomes::model}, {kR, "mean-input-tokens", k1, input}, {kR, "stddev-input-tokens", k1, input_spread},
    {kR, "mean-output-tokens", k1, output}, {kR, "stddev-output-tokens", k1, output_spread},
    {kR, "num-concurrent-requests", k1, in_flight}, {kR, "max-num-completed-requests", k1, requests},
    {kR, "timeout", k1, seconds, "max-time"}, {kR, "additional-sampling-params", k1, extra_body}, {kR, "llm-api", k1, api},
    {kR, "results-dir", k1, same, "out"}, {kR, "metadata", k1, left_out, kLabel},
    {kR, "log-prompts", k0, left_out, "--dry-run prints a prompt"},

    // genai-bench, k6, hyperfine, wrk, hey, oha; and words that people try
    {kO, "api-base", k1, url}, {kO, "api-model-name", k1, Becomes::model}, {kO, "api-backend", k1, api},
    {kO, "num-concurrency", k1, in_flight}, {kO, "users", k1, in_flight}, {kO, "vus", k1, in_flight},
    {kO, "connections", k1, in_flight}, {kO, "iterations", k1, requests}, {kO, "max-requests-per-run", k1, requests},
    {kO, "max-time-per-run", k1, seconds, "duration"}, {kO, "z", k1, seconds, "duration"},
    {kO, "qps", k1, rate}, {kO, "rps", k1, rate}, {kO, "requests-per-second", k1, rate}, {kO, "rate-limit", k1, rate},
    {kO, "threads", k1, same, "workers"}, {kO, "t", k1, same, "workers"}, {kO, "k", k0, on, "insecure"},
    {kO, "traffic-scenario", k1, data}, {kO, "n-samples", k1, same, "choices"}, {kO, "ramp-up", k1, ramp},
    {kO, "no-warmup", k0, left_out, kNoWarmup}, {kO, "skip-warmup", k0, left_out, kNoWarmup},
    {kO, "concurrency-range", k1, left_out, kList}, {kO, "request-rate-range", k1, left_out, kList},
    {kO, "output-format", k1, left_out, kFormats}, {kO, "export-format", k1, left_out, kFormats},
    {kO, "config-file", k1, left_out, "use --config F (TOML)"},
};

struct Advice {
  Becomes part;
  std::string_view words;
};
constexpr std::string_view kUrlIs = "the URL stands alone: infermeter run http://localhost:8000";
constexpr std::string_view kPathDecides =
    "the URL decides (…/v1 is chat, …/v1/completions text completion), or --endpoint KIND";
constexpr std::string_view kLoadIs =
    "-c N is a closed loop; --rate R with --arrival constant|poisson|gamma:CV an open one";
constexpr std::string_view kSynthetic = "prompts are synthetic (--input-tokens N) or a file's (--workload F, or FORMAT:F)";
constexpr std::string_view kBody = "use --extra-body '{\"temperature\": 0}': it is merged into every body";
constexpr std::string_view kImages = "use --images N --image-size WxH";
constexpr Advice kAdvice[] = {
    {url, kUrlIs}, {host, kUrlIs}, {port, kUrlIs}, {path, kPathDecides}, {api, kPathDecides},
    {Becomes::model, "use --model NAME"}, {served_model, "use --model NAME"}, {header, "use -H 'NAME: VALUE'"},
    {rate, "use --rate R"}, {in_flight, "use -c N (--concurrency)"}, {requests, "use -n N (--requests)"},
    {conversations, "use -n N (--requests): it counts conversations with --turns"},
    {burstiness, "use --burstiness K"}, {arrival, "use --arrival constant|poisson|gamma:CV"},
    {ramp, "use --stages 60s:N,…"}, {ramp_from, "use --stages 60s:N,…"}, {ramp_to, "use --stages 60s:N,…"},
    {profile, kLoadIs}, {overrides, kList}, {constraint, "use -n N, -d 30s, --max-error-rate 10% or --stop-when"},
    {warmup_share, "use --warmup N or --warmup 10s"}, {seed, "use --seed N"},
    {input, "use --input-tokens N"}, {input_spread, "use --input-tokens normal:MEAN,STDDEV"},
    {output, "use --output-tokens N"}, {output_spread, "use --output-tokens normal:MEAN,STDDEV"},
    {range_ratio, "use --input-tokens uniform:A,B"}, {prefix, "use --shared-prefix-tokens N"},
    {prefixes, "use --prefix-groups N"}, {per_prefix, "use -n N and --prefix-groups N"}, {suffix, "use --input-tokens N"},
    {dataset, kSynthetic}, {file, kSynthetic}, {data, kSynthetic}, {file_format, "use --workload FORMAT:FILE"},
    {replay, "use --arrival trace"}, {no_replay, "without --arrival trace a trace gives only lengths"},
    {slower, "use --replay-speed 0.5x"}, {faster, "use --replay-speed 2x"}, {trace_unit, "time stamps are in milliseconds"},
    {turns, "use --turns N"}, {turns_spread, "use --turns normal:MEAN,STDDEV"},
    {delay, "use --think-time T, with --turns"}, {delay_spread, "use --think-time normal:MEAN,STDDEV, with --turns"},
    {images, "use --images N"}, {image_width, kImages}, {image_height, kImages}, {image_sizes, kImages},
    {connections, "connections are kept; --fresh-connections, --session-connection"},
    {cancel_rate, "use --cancel-after T --cancel-share P"}, {cancel_delay, "use --cancel-after T"},
    {drain, "use --timeout-drain T"}, {goodput, "use --slo 'ttft<500ms'"}, {body, kBody}, {extra_body, kBody}, {extra_inputs, kBody},
    {exact, "use --exact-output"}, {inexact, "use --no-exact-output"},
    {streaming, "answers are streamed unless --no-stream"}, {quiet, "use -q"},
    {implied, "infermeter does so anyway"},
};
// clang-format on

}  // namespace rival_table

constexpr std::array<std::string_view, 7> kTitles{
    "vllm bench serve", "sglang.bench_serving", "aiperf profile", "genai-perf profile", "guidellm benchmark",
    "llmperf",          "other tools"};

std::string advice_of(const RivalOption& row) {
  if (row.part == Becomes::same || row.part == Becomes::on) return fmt::format("use --{}", row.text);
  if (row.part == Becomes::seconds || row.part == Becomes::milliseconds)
    return fmt::format("use --{} 30s, with its unit", row.text);
  if (row.part == Becomes::left_out) return std::string(row.text);
  const auto* advice = std::ranges::find(rival_table::kAdvice, row.part, &rival_table::Advice::part);
  return advice == std::end(rival_table::kAdvice) ? std::string() : std::string(advice->words);
}

}  // namespace

std::string_view title_of(Rival rival) { return kTitles[static_cast<std::size_t>(rival)]; }

const RivalOption* find_rival_option(Rival rival, std::string_view name) {
  const auto* it = std::ranges::find_if(rival_table::kRows, [&](const RivalOption& row) {
    return row.name == name && (row.rivals & bit(rival)) != 0;
  });
  return it == std::end(rival_table::kRows) ? nullptr : it;
}

std::optional<std::string> rival_hint(std::string_view name) {
  // Where two tools differ, the one whose option has an equivalent.
  const RivalOption* best = nullptr;
  for (const auto& row : rival_table::kRows) {
    if (row.name == name && (best == nullptr || best->part == Becomes::left_out)) best = &row;
  }
  if (best == nullptr || advice_of(*best).empty()) return std::nullopt;
  return advice_of(*best);
}

}  // namespace infermeter
