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
  {"assert", 0, list, unhashed, "EXPR", "", "the run's", "Report", "require 'ttft.p95<500ms', repeatable"},
  {"assert-point", 0, flag, unhashed, "", "", "intervals", "Report", "compare values, not intervals"},
  {"help", 'h', flag, unhashed, "", "", "", "Report", "this page"},
};

constexpr OptionSpec kMergeOptions[] = {
  {"directories", 0, arguments, unhashed, "DIR", "", "required", "Merge", "folders of a run's shards"},
  {"out", 'o', value, unhashed, "DIR", "", "required", "Merge", "folder of the whole result"},
  {"allow-missing", 0, flag, unhashed, "", "", "off", "Merge", "merge without missing shards: partial"},
  {"format", 0, value, unhashed, "F", "table", "", "Merge", "as in report"},
  {"wide", 0, flag, unhashed, "", "", "off", "Merge", "more columns than fit in 80"},
  {"help", 'h', flag, unhashed, "", "", "", "Merge", "this page"},
};

constexpr OptionSpec kScenariosOptions[] = {
  {"name", 0, argument, unhashed, "NAME", "", "all of them", "Scenarios", "print this one's file"},
  {"help", 'h', flag, unhashed, "", "", "", "Scenarios", "this page"},
};

constexpr OptionSpec kGateOptions[] = {
  {"results", 0, arguments, unhashed, "RESULT", "", "none", "What", "a result to check, or the candidate's"},
  {"baseline-url", 0, value, unhashed, "URL", "", "none", "What", "live: the baseline server"},
  {"candidate-url", 0, value, unhashed, "URL", "", "none", "What", "live: the candidate server"},
  {"baseline-cmd", 0, value, unhashed, "CMD", "", "none", "What", "shell command that serves the baseline"},
  {"candidate-cmd", 0, value, unhashed, "CMD", "", "none", "What", "and the candidate; they run in turn"},
  {"ready-timeout", 0, value, unhashed, "T", "20m", "", "What", "until a started server answers"},
  {"blocks", 0, value, unhashed, "N", "3", "", "What", "sessions between a start and its stop"},
  {"baseline", 0, list, unhashed, "DIR", "", "none", "What", "saved: baseline results, repeatable"},
  {"candidate", 0, list, unhashed, "DIR", "", "none", "What", "saved: candidate results, repeatable"},
  {"aa", 0, flag, unhashed, "", "", "off", "What", "baseline against itself: the noise"},

  {"metric", 0, commas, unhashed, "M,…", "", "TTFT, TPOT, tok/s", "Rule", "ttft.p50, tpot.p50:5%/10% …"},
  {"min-effect", 0, value, unhashed, "P", "5%", "", "Rule", "fail above it; p95: above twice it"},
  {"max-effect", 0, value, unhashed, "P", "", "2x --min-effect", "Rule", "pass if certainly below it"},
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

std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name) {
  if (const auto* spec = find_own(specs, name)) return NamedOption{spec, false};
  if (const auto* alias = find_alias(name)) {
    if (const auto* spec = find_own(specs, alias->option)) return NamedOption{spec, false};
  }
  return find_opposite(specs, name);
}

}  // namespace infermeter
