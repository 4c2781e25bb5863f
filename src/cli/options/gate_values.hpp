// Options of `gate` → what it is to do. Private to src/cli.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.hpp"

namespace infermeter {

/// Throws UsageError.
Command gate_request(const std::vector<std::string>& words, const Variables& variables,
                     const Surroundings& here);

}  // namespace infermeter
