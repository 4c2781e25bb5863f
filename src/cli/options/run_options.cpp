// The options of `run`, in the order and the words of its help.
#include "cli/options/option_table.hpp"

namespace infermeter {
namespace {

using enum Takes;
using enum Enters;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kRunOptions[] = {
  {"url", 0, arguments, in_plan, "URL", "", "OPENAI_BASE_URL", "Target", "server, with or without /v1"},
  {"model", 0, value, in_plan, "NAME", "", "first of /v1/models", "Target", "model to ask for"},
  {"api-key-env", 0, value, unhashed, "NAME", "OPENAI_API_KEY", "", "Target", "variable that holds the key"},
  {"api-key-file", 0, value, unhashed, "F", "", "none", "Target", "file with the key in its first line"},
  {"header", 'H', list, unhashed, "'K: V'", "", "none", "Target", "one more request header, repeatable"},
  {"endpoint", 0, value, unhashed, "KIND", "", "from the URL", "Target", "chat, completions, responses …"},
  {"api-version", 0, value, unhashed, "V", "", "none", "Target", "Azure's api-version"},
  {"auth-header", 0, value, unhashed, "NAME", "", "the endpoint's", "Target", "header that carries the key"},
  {"sim", 0, optional_value, unhashed, "[PRESET]", "", "h100-8b", "Target", "measure the built-in simulator"},
  {"fault", 0, list, unhashed, "KIND", "", "none", "Target", "--sim: KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, unhashed, "F", "", "none", "Target", "--sim: write the server's own times to F"},
  {"wait-ready", 0, value, unhashed, "T", "0", "", "Target", "wait up to T until the server answers"},

  {"concurrency", 'c', commas, unhashed, "N,…", "1", "", "Load", "closed loop: requests in flight at once"},
  {"rate", 0, commas, unhashed, "R,…", "", "closed loop", "Load", "open loop: requests per second"},
  {"arrival", 0, value, in_plan, "KIND", "poisson", "", "Load", "constant, poisson, gamma:CV or trace"},
  {"burstiness", 0, value, in_plan, "K", "", "1", "Load", "--rate: gamma gaps with CV = 1/√K"},
  {"replay-speed", 0, value, in_plan, "X", "1x", "", "Load", "--arrival trace: 2x is twice as fast"},
  {"stages", 0, commas, unhashed, "T:N,…", "", "constant", "Load", "ramps: N in flight; --rate: a second"},
  {"max-in-flight", 0, value, in_plan, "N", "", "no cap", "Load", "--rate: cap on requests in flight"},
  {"on-cap", 0, value, in_plan, "WHAT", "wait", "", "Load", "at the cap: wait (counted as lag) or drop"},
  {"warmup", 0, value, in_plan, "N|T", "", "1 per slot; --rate 5s", "Load", "same load, kept apart"},
  {"start-at", 0, value, unhashed, "TIME", "", "now", "Load", "2026-01-31T12:00:00Z, or 12:00:00 (UTC)"},
  {"shard", 0, value, unhashed, "R/N", "", "whole run", "Load", "part R of N, from 0, or auto"},
  {"workers", 0, value, unhashed, "N", "auto", "", "Load", "threads, from the load and the cores"},
  {"seed", 0, value, in_plan, "N", "1", "", "Load", "of the schedule and the prompts"},

  {"requests", 'n', value, unhashed, "N", "", "no limit", "Stop", "measured requests; 10x: ten per slot"},
  {"duration", 'd', value, unhashed, "T", "", "30s without -n", "Stop", "length of the measured phase"},
  {"max-error-rate", 0, value, unhashed, "P", "off", "", "Stop", "stop when more than P (10%) fail"},
  {"max-cost", 0, value, unhashed, "X", "", "no limit", "Stop", "stop a target before X dollars"},
  {"max-tokens-total", 0, value, unhashed, "N", "", "no limit", "Stop", "likewise, prompt and output tokens"},
  {"on-rate-limit", 0, value, in_request, "WHAT", "count", "", "Stop", "at 429 and 503: count, wait or stop"},
  {"retries", 0, value, in_plan, "N", "0", "", "Stop", "send a failed request again, counted"},

  {"shape", 0, commas, unhashed, "IN/OUT,…", "", "none", "Sweep", "token lengths, crossed with -c and --rate"},
  {"cooldown", 0, value, unhashed, "T", "0", "", "Sweep", "pause between points"},
  {"stop-when", 0, list, unhashed, "EXPR", "", "never", "Sweep", "end after: 'ttft.p95 > 2s', repeatable"},
  {"before-point", 0, value, unhashed, "CMD", "", "none", "Sweep", "shell command, as to reset a cache"},
  {"after-point", 0, value, unhashed, "CMD", "", "none", "Sweep", "shell command"},
  {"runs", 0, value, unhashed, "N", "1", "", "Sweep", "measure each load N times, run after run"},
  {"resume", 0, value, unhashed, "DIR", "", "none", "Sweep", "do not repeat DIR's finished points"},

  {"workload", 0, value, in_request, "W", "synthetic", "", "Workload", "or a data file, FORMAT:FILE"},
  {"skip-bad-lines", 0, flag, in_request, "", "", "stop", "Workload", "count a file's bad lines instead"},
  {"prompt", 0, value, in_request, "TEXT", "", "synthetic", "Workload", "send this text"},
  {"prompt-file", 0, value, in_request, "F", "", "synthetic", "Workload", "one a line, or JSONL with `prompt`"},
  {"input-tokens", 0, value, in_request, "LEN", "512", "", "Workload", "of a synthetic prompt; uniform:A,B …"},
  {"no-calibrate", 0, flag, in_request, "", "", "calibrated", "Workload", "take a word for a token"},
  {"shared-prefix-tokens", 0, value, in_request, "N", "0", "", "Workload", "the same opening for all"},
  {"prefix-groups", 0, value, in_request, "N", "1", "", "Workload", "so many different openings"},
  {"prompt-reuse", 0, value, in_request, "K", "1", "", "Workload", "send each prompt K times: cold, warm"},
  {"prime", 0, flag, in_request, "", "", "off", "Workload", "send the shared openings beforehand"},
  {"turns", 0, commas, in_request, "N|A,B", "1", "", "Workload", "of a conversation; -n counts these"},
  {"think-time", 0, value, in_request, "T", "0", "", "Workload", "before a next turn; lognormal:2s,0.5 …"},
  {"session-header", 0, value, in_request, "NAME", "", "none", "Workload", "carries a conversation's id"},
  {"session-connection", 0, flag, in_request, "", "", "off", "Workload", "one connection a conversation"},
  {"batch-size", 0, value, in_request, "N", "1", "", "Workload", "texts in a request: embeddings, rerank"},
  {"images", 0, value, in_request, "N", "0", "", "Workload", "pictures beside each prompt"},
  {"image-size", 0, value, in_request, "WxH", "512x512", "", "Workload", "of these, in pixels"},
  {"system-prompt", 0, value, in_request, "TEXT", "", "none", "Workload", "system message of every request"},
  {"nonce", 0, value, unhashed, "X", "", "new every run", "Workload", "opens each synthetic prompt"},

  {"output-tokens", 0, value, in_request, "LEN", "128", "", "Answers", "most tokens of an answer"},
  {"exact-output", 0, flag, in_plan, "", "", "known engines", "Answers", "force that length (ignore_eos)"},
  {"no-stream", 0, flag, in_plan, "", "", "streamed", "Answers", "ask for whole answers: E2E only"},
  {"extra-body", 0, json, in_request, "JSON", "", "none", "Answers", "object merged into every body"},
  {"reasoning-effort", 0, value, in_request, "WORD", "", "unsaid", "Answers", "low, medium, high …"},
  {"thinking", 0, value, in_request, "WHAT", "unsaid", "", "Answers", "on or off, in the server's way"},
  {"tools", 0, json, in_request, "F|JSON", "", "none", "Answers", "tool definitions, an array"},
  {"json-mode", 0, flag, in_request, "", "", "off", "Answers", "ask for a JSON object"},
  {"json-schema", 0, json, in_request, "F|JSON", "", "none", "Answers", "ask for JSON of this schema"},
  {"choices", 0, value, in_request, "N", "1", "", "Answers", "answers a request (the API's n)"},
  {"logprobs", 0, value, in_request, "N", "0", "", "Answers", "log probabilities a token"},
  {"cancel-after", 0, value, in_request, "T|N", "", "never", "Answers", "hang up: 150ms, or 20 (tokens)"},
  {"cancel-share", 0, value, in_request, "P", "100%", "", "Answers", "of the requests, --cancel-after"},
  {"slo", 0, list, in_plan, "EXPR", "", "none", "Answers", "good requests: 'ttft<500ms', repeatable"},

  {"alternate", 0, flag, in_plan, "", "", "at the same time", "Targets", "short blocks in turn, ABBA"},
  {"sequential", 0, flag, in_plan, "", "", "at the same time", "Targets", "one after the other"},
  {"gpus", 0, value, unhashed, "N", "", "not known", "Targets", "of the target: tokens per GPU"},
  {"price-input", 0, value, unhashed, "X", "", "not known", "Targets", "of a million prompt tokens"},
  {"price-cached", 0, value, unhashed, "X", "", "as --price-input", "Targets", "of a million cached ones"},
  {"price-output", 0, value, unhashed, "X", "", "not known", "Targets", "of a million output tokens"},
  {"price-per-hour", 0, value, unhashed, "X", "", "not known", "Targets", "of the whole target"},

  {"assert", 0, list, unhashed, "EXPR", "", "none", "Verdict", "pass or fail: 'ttft.p95<1s', repeatable"},
  {"assert-point", 0, flag, unhashed, "", "", "intervals", "Verdict", "values decide, not their intervals"},

  {"format", 0, value, unhashed, "F", "table", "", "Output", "`infermeter report --help` lists them"},
  {"per-request", 0, flag, unhashed, "", "", "per point", "Output", "one line per request (csv, tsv)"},
  {"out", 'o', value, unhashed, "DIR", "", "results/<time>-<model>", "Output", "folder of the result"},
  {"label", 0, list, unhashed, "K=V", "", "none", "Output", "kept in the result, repeatable"},
  {"comfort", 0, value, unhashed, "T", "30ms", "", "Output", "report the share of tokens within T"},
  {"progress", 0, value, unhashed, "P", "auto", "", "Output", "auto, bar, plain, json or none"},
  {"quiet", 'q', flag, unhashed, "", "", "off", "Output", "no progress"},
  {"wide", 0, flag, unhashed, "", "", "off", "Output", "more columns than fit 80"},
  {"no-save-gaps", 0, flag, unhashed, "", "", "saved", "Output", "leave arrival gaps out of the records"},
  {"save-text", 0, flag, unhashed, "", "", "off", "Output", "keep the text of the answers"},

  {"fresh-connections", 0, flag, in_request, "", "", "keep-alive", "Transport", "a new connection per request"},
  {"http2", 0, flag, in_request, "", "", "HTTP/1.1", "Transport", "HTTP/2, streams share connections"},
  {"insecure", 0, flag, unhashed, "", "", "off", "Transport", "do not verify the server's certificate"},
  {"cacert", 0, value, unhashed, "F", "", "the system's", "Transport", "certificate authorities (PEM)"},
  {"cert", 0, value, unhashed, "F", "", "none", "Transport", "client certificate (PEM)"},
  {"key", 0, value, unhashed, "F", "", "none", "Transport", "private key of --cert (PEM)"},
  {"proxy", 0, value, unhashed, "URL", "", "as curl: https_proxy …", "Transport", "HTTP or SOCKS proxy"},
  {"resolve", 0, list, unhashed, "H:P:A", "", "DNS", "Transport", "take address A for H:P, repeatable"},
  {"unix-socket", 0, value, unhashed, "F", "", "TCP", "Transport", "connect to this socket"},
  {"timeout-connect", 0, value, unhashed, "T", "10s", "", "Timeouts", "limit for connecting, with TLS"},
  {"timeout-first-token", 0, value, unhashed, "T", "600s", "", "Timeouts", "limit up to the first token"},
  {"timeout-gap", 0, value, unhashed, "T", "300s", "", "Timeouts", "limit between events with tokens"},
  {"timeout-idle", 0, value, unhashed, "T", "300s", "", "Timeouts", "limit without a byte"},
  {"timeout", 0, value, unhashed, "T", "3600s", "", "Timeouts", "limit for a whole request"},
  {"timeout-drain", 0, value, unhashed, "T", "", "as --timeout", "Timeouts", "limit for what is open at the end"},

  {"scenario", 0, value, unhashed, "NAME", "", "none", "Configuration", "ready-made: infermeter scenarios"},
  {"quick", 0, flag, unhashed, "", "", "off", "Configuration", "the short form of a scenario"},
  {"config", 0, value, unhashed, "F", "", "none", "Configuration", "TOML file with these names"},
  {"dry-run", 0, flag, unhashed, "", "", "off", "Configuration", "print plan and body, send nothing"},
  {"no-preflight", 0, flag, unhashed, "", "", "one request", "Configuration", "skip the look before the run"},
  {"strict", 0, flag, unhashed, "", "", "off", "Configuration", "stop where a field is refused"},
  {"timestamps", 0, value, in_request, "S", "kernel", "", "Configuration", "arrival times: kernel or user"},
  {"help", 'h', flag, unhashed, "", "", "", "Configuration", "this page"},
};
// clang-format on

}  // namespace

std::span<const OptionSpec> run_options() { return kRunOptions; }

}  // namespace infermeter
