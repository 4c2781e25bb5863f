// What `run` and `gate` are asked for, as plain values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/invocation.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/run/gate.hpp"

namespace infermeter {

struct RunRequest {
  Plan plan;
  bool sim = false;  // measure the built-in simulator: it is the only target, without URL
  std::string sim_preset;
  std::vector<std::string> faults;  // as given; sim::parse_fault reads them
  std::string truth;
  bool dry_run = false;
  bool quiet = false;  // plan.output.progress is `none` too
  std::string note;    // to be shown before it begins; empty: nothing
};

/// The request's plan with the simulator that it asks for.
inline Plan plan_with_simulator(const RunRequest& request) {
  Plan plan = request.plan;
  if (request.sim) plan.simulator = {request.sim_preset, request.faults, request.truth};
  return plan;
}

/// What a gate compares.
enum class GateKind {
  live,        // two servers that run, in interleaved pairs
  commands,    // two servers that are started in turn
  saved,       // results of the baseline and of the candidate
  assertions,  // one result and its limits
};

struct GateRequest {
  GateKind kind = GateKind::live;
  RunRequest run;  // what a pair's runs are; of saved results only its output and assertions
  GateRule rule;   // its last look is the most pairs
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::optional<nanoseconds> budget;
  bool aa = false;                               // both sides are one server
  std::array<std::string, 2> commands;           // of baseline and candidate
  std::vector<std::string> baseline, candidate;  // folders; of assertions the candidate's alone
};

/// One for each kind of gate, in the order of GateKind.
inline constexpr std::string_view kGateExamples =
    "infermeter gate --baseline-url URL --candidate-url URL\n"
    "infermeter gate --baseline-cmd 'vllm serve …' --candidate-cmd '…'\n"
    "infermeter gate --baseline DIR DIR … --candidate DIR DIR …\n"
    "infermeter gate DIR --assert 'ttft.p95 < 500ms'";

/// Throw UsageError for anything wrong; no error and no field but the secret ones holds a key or header
/// value. They read the files that options name and nothing else.
RunRequest run_request(const Invocation& invocation);
GateRequest gate_request(const Invocation& invocation);

}  // namespace infermeter
