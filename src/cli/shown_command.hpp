// The command line as it may be printed and saved: made anew from what was understood, so that nothing
// unknown slips in, with header values and credentials masked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"

namespace infermeter {

/// "infermeter run http://h --concurrency 8 --header 'X-Team: ****'": can be pasted into a shell.
std::string shown_command(std::string_view command, std::span<const OptionSpec> specs,
                          const std::vector<Given>& typed);

}  // namespace infermeter
