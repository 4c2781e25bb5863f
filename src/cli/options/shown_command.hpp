// The command line in a form that may be printed and saved: built from the parsed options, with header values
// and credentials masked.
#pragma once

#include <string>

#include "cli/options/invocation.hpp"

namespace infermeter {

/// "infermeter run http://h --concurrency 8 --header 'X-Team: ****'": can be pasted into a shell.
std::string shown_command(const Invocation& invocation);

}  // namespace infermeter
