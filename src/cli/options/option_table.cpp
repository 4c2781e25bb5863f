#include "cli/options/option_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/options/foreign_names.hpp"

namespace infermeter {
namespace {

using enum Takes;
using enum Enters;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kRunOptions[] = {
  {"url", 0, arguments, in_plan, "URL", "", "OPENAI_BASE_URL", "Target", "server, with or without /v1"},
  {"model", 'm', value, in_plan, "NAME", "", "first of /v1/models", "Target", "model to ask for"},
  {"vendor", 0, list, in_plan, "NAME", "", "none", "Target", "its URL, key and API, repeatable"},
  {"region", 0, value, in_plan, "NAME", "", "not known", "Target", "where the server is, for the result"},
  {"api-key-env", 0, value, unhashed, "NAME", "OPENAI_API_KEY", "", "Target", "variable that holds the key"},
  {"api-key-file", 0, value, unhashed, "F", "", "none", "Target", "file with the key in its first line"},
  {"header", 'H', list, unhashed, "'K: V'", "", "none", "Target", "one more request header, repeatable"},
  {"endpoint", 0, value, unhashed, "KIND", "", "from the URL", "Target", "chat, completions, responses …"},
  {"api-version", 0, value, unhashed, "V", "", "none", "Target", "Azure's api-version"},
  {"auth-header", 0, value, unhashed, "NAME", "", "the endpoint's", "Target", "header that carries the key"},
  {"sim", 0, optional_value, unhashed, "[PRESET]", "", "h100-8b", "Target", "measure the built-in simulator"},
  {"fault", 0, list, unhashed, "KIND", "", "none", "Target", "--sim: KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, unhashed, "F", "", "none", "Target", "--sim: write the true times to F"},
  {"metrics-url", 0, list, unhashed, "[NAME=]U", "", "its /metrics", "Target", "its metrics page, repeatable"},
  {"wait-ready", 0, value, unhashed, "T", "0", "", "Target", "wait up to T until the server answers"},

  {"concurrency", 'c', commas, unhashed, "N,…", "1", "", "Load", "closed loop: requests in flight"},
  {"rate", 0, commas, unhashed, "R,…", "", "closed loop", "Load", "open loop: requests per second"},
  {"arrival", 0, value, in_plan, "KIND", "poisson", "", "Load", "constant, poisson, gamma:CV or trace"},
  {"burstiness", 0, value, in_plan, "K", "", "1", "Load", "--rate: gamma gaps with CV = 1/√K"},
  {"replay-speed", 0, value, in_plan, "X", "1x", "", "Load", "--arrival trace: 2x is twice as fast"},
  {"stages", 0, commas, unhashed, "T:N,…", "", "constant", "Load", "ramps to N in flight, or per second"},
  {"max-in-flight", 0, value, in_plan, "N", "", "no cap", "Load", "--rate: cap on requests in flight"},
  {"on-cap", 0, value, in_plan, "WHAT", "wait", "", "Load", "at the cap: wait (counted as lag) or drop"},
  {"warmup", 0, value, in_plan, "N|T", "", "1 per slot; --rate 5s", "Load", "not part of the results"},
  {"start-at", 0, value, unhashed, "TIME", "", "now", "Load", "2026-01-31T12:00:00Z, or 12:00:00 (UTC)"},
  {"shard", 0, value, unhashed, "R/N", "", "whole run", "Load", "part R of N, from 0, or auto"},
  {"workers", 0, value, unhashed, "N", "auto", "", "Load", "worker threads"},
  {"seed", 0, value, in_plan, "N", "1", "", "Load", "seed of the schedule and the prompts"},

  {"requests", 'n', value, unhashed, "N", "", "no limit", "Stop", "measured requests; 10x: ten per slot"},
  {"duration", 'd', value, unhashed, "T", "", "30s without -n", "Stop", "length of the measured phase"},
  {"max-time", 0, value, unhashed, "T", "", "no limit", "Stop", "end the whole command after T"},
  {"max-error-rate", 0, value, unhashed, "P", "off", "", "Stop", "stop when more than P (10%) fail"},
  {"max-cost", 0, value, unhashed, "X", "", "no limit", "Stop", "stop a target before it costs X"},
  {"max-tokens-total", 0, value, unhashed, "N", "", "no limit", "Stop", "limit of prompt and output tokens"},
  {"on-rate-limit", 0, value, in_request, "WHAT", "count", "", "Stop", "on 429 and 503: count, wait or stop"},
  {"retries", 0, value, in_plan, "N", "0", "", "Stop", "send a failed request again, counted"},

  {"shape", 0, commas, unhashed, "IN/OUT,…", "", "none", "Sweep", "token lengths, crossed with -c and --rate"},
  {"cooldown", 0, value, unhashed, "T", "0", "", "Sweep", "pause between points"},
  {"stop-when", 0, list, unhashed, "EXPR", "", "never", "Sweep", "end if 'ttft.p95 > 2s', repeatable"},
  {"before-point", 0, value, unhashed, "CMD", "", "none", "Sweep", "shell command, e.g. to reset a cache"},
  {"after-point", 0, value, unhashed, "CMD", "", "none", "Sweep", "shell command"},
  {"runs", 0, value, unhashed, "N", "1", "", "Sweep", "measure each load N times, run after run"},
  {"resume", 0, value, unhashed, "DIR", "", "none", "Sweep", "skip DIR's finished points"},

  {"workload", 0, value, in_request, "W", "synthetic", "", "Workload", "or a data file, FORMAT:FILE"},
  {"skip-bad-lines", 0, flag, in_request, "", "", "stop", "Workload", "skip and count a file's bad lines"},
  {"prompt", 0, value, in_request, "TEXT", "", "synthetic", "Workload", "send this text"},
  {"prompt-file", 0, value, in_request, "F", "", "synthetic", "Workload", "as --workload: lines, or JSONL"},
  {"input-tokens", 0, value, in_request, "LEN", "512", "", "Workload", "of a synthetic prompt; uniform:A,B …"},
  {"no-calibrate", 0, flag, in_request, "", "", "calibrated", "Workload", "assume one token per word"},
  {"shared-prefix-tokens", 0, value, in_request, "N", "0", "", "Workload", "common prefix of all prompts"},
  {"prefix-groups", 0, value, in_request, "N", "1", "", "Workload", "number of different prefixes"},
  {"prompt-reuse", 0, value, in_request, "K", "1", "", "Workload", "send each prompt K times: cold, warm"},
  {"prime", 0, flag, in_request, "", "", "off", "Workload", "send the shared prefixes first"},
  {"turns", 0, commas, in_request, "N|A,B", "1", "", "Workload", "turns; -n counts conversations"},
  {"think-time", 0, value, in_request, "T", "0", "", "Workload", "before the next turn; lognormal:2s,0.5 …"},
  {"session-header", 0, value, in_request, "NAME", "", "none", "Workload", "header with the conversation's id"},
  {"session-connection", 0, flag, in_request, "", "", "off", "Workload", "one connection per conversation"},
  {"batch-size", 0, value, in_request, "N", "1", "", "Workload", "texts per request: embeddings, rerank"},
  {"images", 0, value, in_request, "N", "0", "", "Workload", "images per prompt"},
  {"image-size", 0, value, in_request, "WxH", "512x512", "", "Workload", "in pixels"},
  {"system-prompt", 0, value, in_request, "TEXT", "", "none", "Workload", "system message of every request"},
  {"nonce", 0, value, unhashed, "X", "", "new every run", "Workload", "prefix of each synthetic prompt"},

  {"output-tokens", 0, value, in_request, "LEN", "128", "", "Answers", "maximum tokens of an answer"},
  {"exact-output", 0, flag, in_plan, "", "", "known engines", "Answers", "force that length (ignore_eos)"},
  {"no-stream", 0, flag, in_plan, "", "", "streamed", "Answers", "request whole answers: only E2E"},
  {"temperature", 0, value, in_request, "X", "", "the server's", "Answers", "sampling temperature"},
  {"top-p", 0, value, in_request, "X", "", "the server's", "Answers", "sampling: share of likely tokens"},
  {"extra-body", 0, json, in_request, "JSON", "", "none", "Answers", "object merged into every body"},
  {"reasoning-effort", 0, value, in_request, "WORD", "", "unsaid", "Answers", "low, medium, high …"},
  {"thinking", 0, value, in_request, "WHAT", "unsaid", "", "Answers", "on or off, in the server's way"},
  {"tools", 0, json, in_request, "F|JSON", "", "none", "Answers", "tool definitions, an array"},
  {"json-mode", 0, flag, in_request, "", "", "off", "Answers", "ask for a JSON object"},
  {"json-schema", 0, json, in_request, "F|JSON", "", "none", "Answers", "ask for JSON of this schema"},
  {"choices", 0, value, in_request, "N", "1", "", "Answers", "answers per request (the API's n)"},
  {"logprobs", 0, value, in_request, "N", "0", "", "Answers", "log probabilities per token"},
  {"cancel-after", 0, value, in_request, "T|N", "", "never", "Answers", "close the stream: 150ms, or 20 (tokens)"},
  {"cancel-share", 0, value, in_request, "P", "100%", "", "Answers", "share of requests, --cancel-after"},
  {"slo", 0, list, in_plan, "EXPR", "", "none", "Answers", "good requests: 'ttft<500ms', repeatable"},

  {"alternate", 0, flag, in_plan, "", "", "at the same time", "Targets", "short blocks in ABBA order"},
  {"sequential", 0, flag, in_plan, "", "", "at the same time", "Targets", "one after the other"},
  {"against", 0, value, unhashed, "NAME", "", "the first", "Targets", "compare the other targets with it"},
  {"sort", 0, value, unhashed, "FIGURE", "", "as listed", "Targets", "rank the targets by it: ttft.p50"},
  {"gpus", 0, value, unhashed, "N", "", "not known", "Targets", "GPUs of the target: tok/s per GPU"},
  {"price-input", 0, value, unhashed, "X", "", "not known", "Targets", "per million prompt tokens"},
  {"price-cached", 0, value, unhashed, "X", "", "as --price-input", "Targets", "per million cached tokens"},
  {"price-cache-write", 0, value, unhashed, "X", "", "as --price-input", "Targets", "per million cache writes"},
  {"price-output", 0, value, unhashed, "X", "", "not known", "Targets", "per million output tokens"},
  {"price-per-hour", 0, value, unhashed, "X", "", "not known", "Targets", "per hour, of the whole target"},

  {"assert", 0, list, unhashed, "EXPR", "", "none", "Verdict", "pass or fail: 'ttft.p95<1s', repeatable"},
  {"assert-point", 0, flag, unhashed, "", "", "intervals", "Verdict", "compare values, not intervals"},

  {"format", 0, value, unhashed, "F", "table", "", "Output", "`infermeter report --help` lists them"},
  {"per-request", 0, flag, unhashed, "", "", "per point", "Output", "one line per request (csv, tsv)"},
  {"out", 'o', value, unhashed, "DIR", "", "results/<time>-<model>", "Output", "folder of the result"},
  {"label", 0, list, unhashed, "K=V", "", "none", "Output", "stored in the result, repeatable"},
  {"comfort", 0, value, unhashed, "T", "30ms", "", "Output", "report the share of tokens within T"},
  {"progress", 0, value, unhashed, "P", "auto", "", "Output", "auto, bar, plain, json or none"},
  {"quiet", 'q', flag, unhashed, "", "", "off", "Output", "no progress"},
  {"verbose", 'v', level, unhashed, "", "", "off", "Output", "say what was tried, retried, odd; -vv: all"},
  {"log", 0, value, unhashed, "FILE", "", "none", "Output", "all that -vv says, in this file"},
  {"wide", 0, flag, unhashed, "", "", "off", "Output", "more columns than fit in 80"},
  {"no-report", 0, flag, unhashed, "", "", "report.html", "Output", "write no page beside the result"},
  {"no-save-gaps", 0, flag, unhashed, "", "", "saved", "Output", "leave arrival gaps out of the records"},
  {"save-text", 0, flag, unhashed, "", "", "off", "Output", "keep the text of the answers"},

  {"fresh-connections", 0, flag, in_request, "", "", "keep-alive", "Transport", "a new connection per request"},
  {"http2", 0, flag, in_request, "", "", "HTTP/1.1", "Transport", "HTTP/2, streams share connections"},
  {"insecure", 0, flag, unhashed, "", "", "off", "Transport", "do not verify the server's certificate"},
  {"cacert", 0, value, unhashed, "F", "", "the system's", "Transport", "certificate authorities (PEM)"},
  {"cert", 0, value, unhashed, "F", "", "none", "Transport", "client certificate (PEM)"},
  {"key", 0, value, unhashed, "F", "", "none", "Transport", "private key of --cert (PEM)"},
  {"proxy", 0, value, unhashed, "URL", "", "as curl: https_proxy …", "Transport", "HTTP or SOCKS proxy"},
  {"resolve", 0, list, unhashed, "H:P:A", "", "DNS", "Transport", "use address A for H:P, repeatable"},
  {"unix-socket", 0, value, unhashed, "F", "", "TCP", "Transport", "connect to this socket"},
  {"metrics-interval", 0, value, unhashed, "T", "1s", "", "Metrics", "time between two readings"},
  {"metrics-header", 0, list, unhashed, "'K: V'", "", "none", "Metrics", "of these requests alone, repeatable"},
  {"no-metrics", 0, flag, unhashed, "", "", "read", "Metrics", "leave the server's metrics alone"},

  {"timeout-connect", 0, value, unhashed, "T", "10s", "", "Timeouts", "limit for connecting, with TLS"},
  {"timeout-first-token", 0, value, unhashed, "T", "600s", "", "Timeouts", "limit up to the first token"},
  {"timeout-gap", 0, value, unhashed, "T", "300s", "", "Timeouts", "limit between events with tokens"},
  {"timeout-idle", 0, value, unhashed, "T", "300s", "", "Timeouts", "limit without a byte"},
  {"timeout", 0, value, unhashed, "T", "3600s", "", "Timeouts", "limit for a whole request"},
  {"prepare-timeout", 0, value, unhashed, "T", "5s", "", "Timeouts", "limit for preflight and calibration"},
  {"timeout-drain", 0, value, unhashed, "T", "", "as --timeout", "Timeouts", "limit for the drain at the end"},
  {"timeout-command", 0, value, unhashed, "T", "", "as --timeout", "Timeouts", "limit for --before-point's CMD"},

  {"scenario", 0, value, unhashed, "NAME", "", "none", "Configuration", "ready-made: infermeter scenarios"},
  {"quick", 0, flag, unhashed, "", "", "off", "Configuration", "the short form of a scenario"},
  {"config", 0, list, unhashed, "F", "", "none", "Configuration", "TOML file with these names, repeatable"},
  {"dry-run", 0, flag, unhashed, "", "", "off", "Configuration", "print plan and body, send nothing"},
  {"no-preflight", 0, flag, unhashed, "", "", "one request", "Configuration", "skip the check before the run"},
  {"strict", 0, flag, unhashed, "", "", "off", "Configuration", "stop if a field is rejected"},
  {"timestamps", 0, value, in_request, "S", "kernel", "", "Configuration", "arrival times: kernel or user"},
  {"help", 'h', optional_value, unhashed, "[GROUP]", "", "", "Configuration", "all, or a group: load, output …"},
};

constexpr OptionSpec kSimulateOptions[] = {
  {"preset", 0, argument, unhashed, "PRESET", "h100-8b", "", "Server", "device and model, or fixed:ttft=…,itl=…"},
  {"host", 0, value, unhashed, "ADDRESS", "127.0.0.1", "", "Server", "address to listen on"},
  {"port", 0, value, unhashed, "N", "8000", "", "Server", "0: any free port"},
  {"time-scale", 0, value, unhashed, "X", "1", "", "Server", "2: twice as slow as the model"},
  {"seed", 0, value, unhashed, "N", "1", "", "Server", "seed of jitter, speculation and faults"},
  {"fault", 0, list, unhashed, "KIND", "", "none", "Server", "KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, unhashed, "F", "", "none", "Server", "write the true times of requests to F"},
  {"help", 'h', flag, unhashed, "", "", "", "Server", "this page"},
};

constexpr OptionSpec kCompareOptions[] = {
  {"results", 0, arguments, unhashed, "RESULT", "", "two at least", "Compare", "folder or file (vLLM bench's too)"},
  {"against", 0, value, unhashed, "RESULT", "", "the first", "Compare", "compare the other results with it"},
  {"format", 0, value, unhashed, "F", "table", "", "Compare", "one of those below"},
  {"wide", 0, flag, unhashed, "", "", "off", "Compare", "all metrics of a sweep"},
  {"help", 'h', flag, unhashed, "", "", "", "Compare", "this page"},
};

constexpr OptionSpec kReportOptions[] = {
  {"directory", 0, argument, unhashed, "DIR", "", "required", "Report", "folder that `run` wrote"},
  {"format", 0, value, unhashed, "F", "table", "", "Report", "one of those below"},
  {"per-request", 0, flag, unhashed, "", "", "per point", "Report", "one line per request (csv, tsv)"},
  {"out", 'o', value, unhashed, "FILE", "", "stdout", "Report", "write it to this file"},
  {"plot", 0, flag, unhashed, "", "", "off", "Report", "charts of distributions and timeline"},
  {"wide", 0, flag, unhashed, "", "", "off", "Report", "more columns than fit in 80"},
  {"against", 0, value, unhashed, "NAME", "", "the run's", "Report", "compare the other targets with it"},
  {"sort", 0, value, unhashed, "FIGURE", "", "the run's", "Report", "rank the targets by it: ttft.p50"},
  {"assert", 0, list, unhashed, "EXPR", "", "the run's", "Report", "require 'ttft.p95<500ms', repeatable"},
  {"assert-point", 0, flag, unhashed, "", "", "intervals", "Report", "compare values, not intervals"},
  {"help", 'h', flag, unhashed, "", "", "", "Report", "this page"},
};

constexpr OptionSpec kMergeOptions[] = {
  {"directories", 0, arguments, unhashed, "DIR", "", "required", "Merge", "folders of a run's shards"},
  {"out", 'o', value, unhashed, "DIR", "", "required", "Merge", "folder of the whole result"},
  {"allow-missing", 0, flag, unhashed, "", "", "off", "Merge", "merge without missing shards: partial"},
  {"no-report", 0, flag, unhashed, "", "", "report.html", "Merge", "write no page beside the result"},
  {"format", 0, value, unhashed, "F", "table", "", "Merge", "as in report"},
  {"wide", 0, flag, unhashed, "", "", "off", "Merge", "more columns than fit in 80"},
  {"help", 'h', flag, unhashed, "", "", "", "Merge", "this page"},
};

constexpr OptionSpec kScenariosOptions[] = {
  {"name", 0, argument, unhashed, "NAME", "", "all of them", "Scenarios", "print this one's file"},
  {"help", 'h', flag, unhashed, "", "", "", "Scenarios", "this page"},
};

constexpr OptionSpec kCompletionsOptions[] = {
  {"shell", 0, argument, unhashed, "SHELL", "", "required", "Completions", "bash, zsh or fish"},
  {"help", 'h', flag, unhashed, "", "", "", "Completions", "this page"},
};

constexpr OptionSpec kManOptions[] = {
  {"command", 0, argument, unhashed, "COMMAND", "", "the program", "Man", "the page of this command"},
  {"out", 'o', value, unhashed, "DIR", "", "stdout", "Man", "write the pages of all commands there"},
  {"help", 'h', flag, unhashed, "", "", "", "Man", "this page"},
};

constexpr OptionSpec kOpenOptions[] = {
  {"directory", 0, argument, unhashed, "DIR", "results", "", "Open", "a result, or the newest in a folder"},
  {"help", 'h', flag, unhashed, "", "", "", "Open", "this page"},
};

constexpr std::array<std::string_view, 20> kEssentials{
    "model",        "api-key-env",   "header",      "sim", "concurrency", "rate",   "requests", "duration", "warmup", "workload",
    "input-tokens", "output-tokens", "temperature", "slo", "assert",      "format", "out",      "scenario", "config", "dry-run"};

constexpr OptionSpec kTranslateOptions[] = {
  {"line", 0, arguments, unhashed, "LINE", "", "required", "Translate", "as it is typed, or quoted as one text"},
  {"help", 'h', flag, unhashed, "", "", "", "Translate", "this page"},
};

constexpr OptionSpec kGateOptions[] = {
  {"results", 0, arguments, unhashed, "RESULT", "", "none", "What", "a result to check, or the candidate's"},
  {"baseline-url", 0, value, unhashed, "URL", "", "none", "What", "live: the baseline server"},
  {"candidate-url", 0, value, unhashed, "URL", "", "none", "What", "live: the candidate server"},
  {"baseline-cmd", 0, value, unhashed, "CMD", "", "none", "What", "shell command that serves the baseline"},
  {"candidate-cmd", 0, value, unhashed, "CMD", "", "none", "What", "and the candidate; they run in turn"},
  {"ready-timeout", 0, value, unhashed, "T", "20m", "", "What", "until a started server answers"},
  {"log-limit", 0, value, unhashed, "SIZE", "64MB", "", "What", "kept of a started server's output"},
  {"blocks", 0, value, unhashed, "N", "3", "", "What", "sessions between a start and its stop"},
  {"baseline", 0, list, unhashed, "DIR", "", "none", "What", "saved: baseline results, repeatable"},
  {"candidate", 0, list, unhashed, "DIR", "", "none", "What", "saved: candidate results, repeatable"},
  {"aa", 0, flag, unhashed, "", "", "off", "What", "baseline against itself: the noise"},

  {"metric", 0, commas, unhashed, "M,…", "", "TTFT, TPOT, tok/s", "Rule", "ttft.p50, tpot.p50:5%/10% …"},
  {"min-effect", 0, value, unhashed, "P", "5%", "", "Rule", "fail above it; p95: above twice it"},
  {"max-effect", 0, value, unhashed, "P", "", "2x --min-effect", "Rule", "pass if significantly below it"},
  {"max-pairs", 0, value, unhashed, "N", "16", "", "Rule", "looks at 6, 8, 10, 12, 16 pairs, up to N"},
  {"max-error-increase", 0, value, unhashed, "P", "1%", "", "Rule", "of the error rate"},
  {"session-effect", 0, value, unhashed, "P", "15%", "", "Rule", "saved results: fail only above it"},
  {"on-inconclusive", 0, value, unhashed, "WHAT", "exit5", "", "Rule", "exit5, fail (1) or pass (0)"},
  {"budget", 0, value, unhashed, "T", "", "none", "Rule", "choose pairs and run lengths to fit T"},
  {"force", 0, flag, unhashed, "", "", "off", "Rule", "compare despite differences, and list them"},
};

// Options of `run` that a gate sets itself or does not use.
constexpr std::array<std::string_view, 11> kNotHere{"shard", "stop-when", "url",  "stages", "alternate", "sequential", "resume",
                                                   "runs", "retries", "dry-run", "start-at"};
// clang-format on

std::vector<OptionSpec> gate_and_run_options() {
  std::vector<OptionSpec> all(std::begin(kGateOptions), std::end(kGateOptions));
  for (const auto& spec : run_options()) {
    if (std::ranges::find(kNotHere, spec.name) == kNotHere.end()) all.push_back(spec);
  }
  return all;
}

const OptionSpec* find_own(std::span<const OptionSpec> specs, std::string_view name) {
  const auto it = std::ranges::find(specs, name, &OptionSpec::name);
  return it == specs.end() ? nullptr : &*it;
}

std::optional<NamedOption> find_opposite(std::span<const OptionSpec> specs, std::string_view name) {
  constexpr std::string_view kNo = "no-";
  const std::string positive = std::string(kNo) + std::string(name);
  const auto* spec =
      name.starts_with(kNo) ? find_own(specs, name.substr(kNo.size())) : find_own(specs, positive);
  if (spec == nullptr || spec->takes != Takes::flag || spec->name == "help") return std::nullopt;
  return NamedOption{spec, true};
}

}  // namespace

std::span<const OptionSpec> run_options() { return kRunOptions; }

std::span<const OptionSpec> gate_own_options() { return kGateOptions; }

std::span<const OptionSpec> gate_options() {
  static const std::vector<OptionSpec> all = gate_and_run_options();
  return all;
}

std::span<const OptionSpec> compare_options() { return kCompareOptions; }
std::span<const OptionSpec> simulate_options() { return kSimulateOptions; }
std::span<const OptionSpec> report_options() { return kReportOptions; }
std::span<const OptionSpec> merge_options() { return kMergeOptions; }
std::span<const OptionSpec> scenarios_options() { return kScenariosOptions; }
std::span<const OptionSpec> completions_options() { return kCompletionsOptions; }
std::span<const OptionSpec> man_options() { return kManOptions; }
std::span<const OptionSpec> open_options() { return kOpenOptions; }
std::span<const std::string_view> run_essentials() { return kEssentials; }
std::span<const OptionSpec> translate_options_table() { return kTranslateOptions; }

std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name) {
  if (const auto* spec = find_own(specs, name)) return NamedOption{spec, false};
  if (const auto* alias = find_alias(name)) {
    if (const auto* spec = find_own(specs, alias->option)) return NamedOption{spec, false, alias->value};
  }
  return find_opposite(specs, name);
}

}  // namespace infermeter
