// `infermeter run`: measures a target, from preflight to verdict.
#pragma once

#include <string>

#include "cli/options/invocation.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct RunRequest {
  Plan plan;
  bool dry_run = false;
  bool quiet = false;  // plan.output.progress is then `none` too
  std::string note;    // printed before the run begins; empty: nothing
};

/// Throws UsageError for anything wrong; no error, and no field except the secret ones, contains a key or
/// header value. Reads the files that options name and nothing else.
RunRequest run_request(const Invocation& invocation);  // options/run_request.cpp

/// Throws Error if it cannot measure; results measured so far are saved and printed before it returns.
ExitCode run_command(const RunRequest& request);

}  // namespace infermeter
