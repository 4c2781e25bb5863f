// `infermeter gate`: a verdict with an exit code.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "cli/run.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/run/gate.hpp"

namespace infermeter {

/// What a gate compares.
enum class GateKind {
  live,        // two running servers, in interleaved pairs
  commands,    // two servers that are started in turn
  saved,       // results of the baseline and of the candidate
  assertions,  // one result and its limits
};

struct GateRequest {
  GateKind kind = GateKind::live;
  RunRequest run;  // the runs of each pair; for saved results only output and assertions
  GateRule rule;   // its last look is the maximum number of pairs
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::optional<nanoseconds> budget;
  bool aa = false;                               // both sides are the same server
  std::array<std::string, 2> commands;           // of baseline and candidate
  std::uint64_t log_limit = 0;                   // bytes that are kept of each one's output
  std::vector<std::string> baseline, candidate;  // folders; for assertions only the candidate's
};

/// One example for each kind of gate, in the order of GateKind.
inline constexpr std::string_view kGateExamples =
    "infermeter gate --baseline-url URL --candidate-url URL\n"
    "infermeter gate --baseline-cmd 'vllm serve …' --candidate-cmd '…'\n"
    "infermeter gate --baseline DIR DIR … --candidate DIR DIR …\n"
    "infermeter gate DIR --assert 'ttft.p95 < 500ms'";

/// Throws as run_request does.
GateRequest gate_request(const Invocation& invocation);  // options/gate_request.cpp

/// Prints the verdict, saves it as verdict.json, and returns its exit code (docs/gate.md). Throws Error if
/// there can be no verdict.
ExitCode gate_command(const GateRequest& request);

}  // namespace infermeter
