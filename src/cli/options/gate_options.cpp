// The options of `gate`: its own, then those of `run` that say what each of its runs is.
#include <algorithm>
#include <array>
#include <vector>

#include "cli/options/option_table.hpp"

namespace infermeter {
namespace {

using enum Takes;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kGateOptions[] = {
  {"results", 0, arguments, "RESULT", "", "none", "What", "saved results: judged, or the candidate's"},
  {"baseline-url", 0, value, "URL", "", "none", "What", "live: the server as it was"},
  {"candidate-url", 0, value, "URL", "", "none", "What", "live: the server to be judged"},
  {"baseline-cmd", 0, value, "CMD", "", "none", "What", "shell command that serves the baseline"},
  {"candidate-cmd", 0, value, "CMD", "", "none", "What", "and the candidate, in turn on one machine"},
  {"ready-timeout", 0, value, "T", "20m", "", "What", "until a started server answers"},
  {"blocks", 0, value, "N", "3", "", "What", "sessions between a start and its stop"},
  {"baseline", 0, list, "DIR", "", "none", "What", "saved: results of the baseline, repeatable"},
  {"candidate", 0, list, "DIR", "", "none", "What", "saved: results of the candidate, likewise"},
  {"aa", 0, flag, "", "", "off", "What", "baseline against itself: how noisy is this?"},

  {"metric", 0, commas, "M,…", "", "TTFT, TPOT, tok/s", "Rule", "ttft.p50, tpot.p50:5%/10% …"},
  {"min-effect", 0, value, "P", "5%", "", "Rule", "fail beyond it; p95: beyond twice of it"},
  {"max-effect", 0, value, "P", "", "2x --min-effect", "Rule", "pass when surely below it"},
  {"max-pairs", 0, value, "N", "16", "", "Rule", "looks at 6, 8, 10, 12, 16 pairs, up to N"},
  {"max-error-increase", 0, value, "P", "1%", "", "Rule", "of the share of requests that fail"},
  {"session-effect", 0, value, "P", "15%", "", "Rule", "saved: fail only beyond it"},
  {"on-inconclusive", 0, value, "WHAT", "exit5", "", "Rule", "exit5, fail (1) or pass (0)"},
  {"budget", 0, value, "T", "", "none", "Rule", "choose pairs and lengths to fit in T"},
  {"force", 0, flag, "", "", "off", "Rule", "compare what differs in kind, and say so"},
};

// What a gate decides by itself, or has no use for.
constexpr std::array<std::string_view, 11> kNotHere{"shard", "stop-when", "url",  "stages", "alternate", "sequential", "resume",
                                                   "runs", "retries", "dry-run", "start-at"};
// clang-format on

std::vector<OptionSpec> joined() {
  std::vector<OptionSpec> all(std::begin(kGateOptions), std::end(kGateOptions));
  for (const auto& spec : run_options()) {
    if (std::ranges::find(kNotHere, spec.name) == kNotHere.end()) all.push_back(spec);
  }
  return all;
}

}  // namespace

std::span<const OptionSpec> gate_own_options() { return kGateOptions; }

std::span<const OptionSpec> gate_options() {
  static const std::vector<OptionSpec> all = joined();
  return all;
}

}  // namespace infermeter
