// `infermeter run`: measures a target from preflight to verdict.
#pragma once

#include <string>
#include <vector>

#include "cli/options/invocation.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

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

/// Throws UsageError for anything wrong; no error and no field but the secret ones holds a key or header
/// value. Reads the files that options name and nothing else.
RunRequest run_request(const Invocation& invocation);  // options/run_request.cpp

/// Throws Error for what keeps it from measuring; what was measured is saved and printed before it returns.
ExitCode run_command(const RunRequest& request);

}  // namespace infermeter
