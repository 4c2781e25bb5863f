// `infermeter compare A B [C…]`: saved results side by side on stdout.
#pragma once

#include <string>

#include "cli/options/compare_options.hpp"
#include "cli/terminal.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// The whole output. Throws EnvironmentError that names the file where one cannot be read.
std::string render_compare(const CompareRequest& request, const Terminal& terminal);

/// Prints it. A difference is no failure: that is what a gate is for.
ExitCode compare_command(const CompareRequest& request);

}  // namespace infermeter
