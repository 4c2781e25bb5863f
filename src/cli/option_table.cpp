#include "option_table.hpp"

#include <algorithm>

#include "foreign_names.hpp"

namespace infermeter {
namespace {

using enum Takes;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kRunOptions[] = {
  {"url", 0, argument, "URL", "", "OPENAI_BASE_URL", "Target", "server, with or without /v1"},
  {"model", 0, value, "NAME", "", "first of /v1/models", "Target", "model to ask for"},
  {"api-key-env", 0, value, "NAME", "OPENAI_API_KEY", "", "Target", "variable that holds the key"},
  {"api-key-file", 0, value, "F", "", "none", "Target", "file with the key in its first line"},
  {"header", 'H', list, "'K: V'", "", "none", "Target", "one more request header, repeatable"},
  {"sim", 0, optional_value, "[PRESET]", "", "h100-8b", "Target", "measure the built-in simulator"},
  {"fault", 0, list, "KIND", "", "none", "Target", "--sim: KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, "F", "", "none", "Target", "--sim: write the server's own times to F"},
  {"wait-ready", 0, value, "T", "0", "", "Target", "wait up to T until the server answers"},

  {"concurrency", 'c', value, "N", "1", "", "Load", "closed loop: requests in flight at once"},
  {"rate", 0, value, "R", "", "closed loop", "Load", "open loop: requests per second"},
  {"arrival", 0, value, "KIND", "poisson", "", "Load", "--rate: constant, poisson or gamma:CV"},
  {"burstiness", 0, value, "K", "", "1", "Load", "--rate: gamma gaps with CV = 1/√K"},
  {"max-in-flight", 0, value, "N", "", "no cap", "Load", "--rate: cap on requests in flight"},
  {"on-cap", 0, value, "WHAT", "wait", "", "Load", "at the cap: wait (counted as lag) or drop"},
  {"warmup", 0, value, "N|T", "", "1 per slot; --rate 5s", "Load", "same load, kept apart"},
  {"workers", 0, value, "N", "auto", "", "Load", "threads, from the load and the cores"},
  {"seed", 0, value, "N", "1", "", "Load", "of the schedule and the prompts"},

  {"prompt", 0, value, "TEXT", "", "synthetic", "Prompts", "send this text"},
  {"prompt-file", 0, value, "F", "", "synthetic", "Prompts", "one a line, or JSONL with `prompt`"},
  {"input-tokens", 0, value, "N", "512", "", "Prompts", "about the tokens of a synthetic prompt"},
  {"output-tokens", 0, value, "N", "128", "", "Prompts", "most tokens of an answer"},
  {"exact-output", 0, flag, "", "", "known engines", "Prompts", "force that length (ignore_eos)"},
  {"system-prompt", 0, value, "TEXT", "", "none", "Prompts", "system message of every request"},
  {"extra-body", 0, value, "JSON", "", "none", "Prompts", "object merged into every body"},
  {"nonce", 0, value, "X", "", "new every run", "Prompts", "opens each synthetic prompt"},
  {"no-stream", 0, flag, "", "", "streamed", "Prompts", "ask for whole answers: E2E only"},

  {"requests", 'n', value, "N", "", "no limit", "Stop", "measured requests; 10x: ten per slot"},
  {"duration", 'd', value, "T", "", "30s without -n", "Stop", "length of the measured phase"},
  {"max-error-rate", 0, value, "P", "off", "", "Stop", "stop when more than P (10%) fail"},

  {"format", 0, value, "F", "table", "", "Output", "on stdout: table, json or csv"},
  {"out", 'o', value, "DIR", "", "results/<time>-<model>", "Output", "folder of the result"},
  {"label", 0, list, "K=V", "", "none", "Output", "kept in the result, repeatable"},
  {"comfort", 0, value, "T", "30ms", "", "Output", "report the share of tokens within T"},
  {"progress", 0, value, "P", "auto", "", "Output", "auto, bar, plain, json or none"},
  {"quiet", 'q', flag, "", "", "off", "Output", "no progress"},
  {"wide", 0, flag, "", "", "off", "Output", "more columns than fit 80"},
  {"no-save-gaps", 0, flag, "", "", "saved", "Output", "leave arrival gaps out of the records"},
  {"save-text", 0, flag, "", "", "off", "Output", "keep the text of the answers"},

  {"fresh-connections", 0, flag, "", "", "keep-alive", "Transport", "a new connection per request"},
  {"http2", 0, flag, "", "", "HTTP/1.1", "Transport", "HTTP/2, streams share connections"},
  {"insecure", 0, flag, "", "", "off", "Transport", "do not verify the server's certificate"},
  {"cacert", 0, value, "F", "", "the system's", "Transport", "certificate authorities (PEM)"},
  {"cert", 0, value, "F", "", "none", "Transport", "client certificate (PEM)"},
  {"key", 0, value, "F", "", "none", "Transport", "private key of --cert (PEM)"},
  {"proxy", 0, value, "URL", "", "as curl: https_proxy …", "Transport", "HTTP or SOCKS proxy"},
  {"resolve", 0, list, "H:P:A", "", "DNS", "Transport", "take address A for H:P, repeatable"},
  {"unix-socket", 0, value, "F", "", "TCP", "Transport", "connect to this socket"},
  {"timeout-connect", 0, value, "T", "10s", "", "Transport", "limit for connecting, with TLS"},
  {"timeout-first-token", 0, value, "T", "600s", "", "Transport", "limit up to the first token"},
  {"timeout-gap", 0, value, "T", "300s", "", "Transport", "limit between events with tokens"},
  {"timeout-idle", 0, value, "T", "300s", "", "Transport", "limit without a byte"},
  {"timeout", 0, value, "T", "3600s", "", "Transport", "limit for a whole request"},
  {"timeout-drain", 0, value, "T", "", "as --timeout", "Transport", "limit for what is open at the end"},

  {"no-preflight", 0, flag, "", "", "one request", "Advanced", "skip the look before the run"},
  {"strict", 0, flag, "", "", "off", "Advanced", "stop where a field is refused"},
  {"timestamps", 0, value, "S", "kernel", "", "Advanced", "arrival times: kernel or user"},
  {"config", 0, value, "F", "", "none", "Advanced", "TOML file with these names"},
  {"dry-run", 0, flag, "", "", "off", "Advanced", "print plan and body, send nothing"},
  {"help", 'h', flag, "", "", "", "Advanced", "this page"},
};

constexpr OptionSpec kSimulateOptions[] = {
  {"preset", 0, argument, "PRESET", "h100-8b", "", "Server", "device and model, or fixed:ttft=…,itl=…"},
  {"host", 0, value, "ADDRESS", "127.0.0.1", "", "Server", "address to listen on"},
  {"port", 0, value, "N", "8000", "", "Server", "0 chooses one"},
  {"time-scale", 0, value, "X", "1", "", "Server", "2: twice as slow as the model"},
  {"seed", 0, value, "N", "1", "", "Server", "of jitter, speculation and faults"},
  {"fault", 0, list, "KIND", "", "none", "Server", "KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, "F", "", "none", "Server", "write every request's own times to F"},
  {"help", 'h', flag, "", "", "", "Server", "this page"},
};

constexpr OptionSpec kReportOptions[] = {
  {"directory", 0, argument, "DIR", "", "required", "Report", "folder that `run` wrote"},
  {"format", 0, value, "F", "table", "", "Report", "table, json or csv"},
  {"wide", 0, flag, "", "", "off", "Report", "more columns than fit 80"},
  {"help", 'h', flag, "", "", "", "Report", "this page"},
};
// clang-format on

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
std::span<const OptionSpec> simulate_options() { return kSimulateOptions; }
std::span<const OptionSpec> report_options() { return kReportOptions; }

std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name) {
  if (const auto* spec = find_own(specs, name)) return NamedOption{spec, false};
  if (const auto* alias = find_alias(name)) {
    if (const auto* spec = find_own(specs, alias->option)) return NamedOption{spec, false};
  }
  return find_opposite(specs, name);
}

}  // namespace infermeter
