// `infermeter compare A B [C…]`: saved results side by side on stdout.
#pragma once

#include <string>

#include "compare_options.hpp"
#include "infermeter/base/errors.hpp"
#include "terminal.hpp"

namespace infermeter {

/// The whole output. Throws EnvironmentError that names the file where one cannot be read.
std::string render_compare(const CompareRequest& request, const Terminal& terminal);

/// Prints it. A difference is no failure: that is what a gate is for.
ExitCode compare_command(const CompareRequest& request);

}  // namespace infermeter
