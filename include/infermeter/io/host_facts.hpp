// Facts of this machine that bear on a measurement: CPU, cores, kernel, load, governor, limits.
#pragma once

#include "infermeter/model/result.hpp"

namespace infermeter {

Environment read_host_facts();

/// Raises RLIMIT_NOFILE to its hard limit; returns the limit now in force.
std::uint64_t raise_open_files_limit();

}  // namespace infermeter
