// `infermeter compare A B [C…]`: saved results side by side on stdout.
#pragma once

#include <string>
#include <vector>

#include "cli/options/invocation.hpp"
#include "cli/terminal.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct CompareRequest {
  std::vector<std::string> paths;  // ≥ 2, the reference first
  std::string format = "table";
  bool wide = false;
};
CompareRequest compare_request(const Invocation& invocation);

/// The whole output. Throws EnvironmentError that names a file that cannot be read.
std::string render_compare(const CompareRequest& request, const Terminal& terminal);

/// Prints it. A difference is not a failure: use a gate for that.
ExitCode compare_command(const CompareRequest& request);

}  // namespace infermeter
