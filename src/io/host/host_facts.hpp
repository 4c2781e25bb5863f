// Facts of this machine that bear on a measurement: CPU, cores, kernel, load, governor, limits. Any thread;
// what the system does not tell stays empty or 0.
#pragma once

#include "infermeter/model/result.hpp"

namespace infermeter {

/// All of `Environment` but what only a run knows: `client_cpu_share` and `timestamp_source`. `cores` is what
/// this process may use (affinity and cgroup quota), not what the machine has; the host's name is kept as a
/// hash, enough to tell whether two results come from one machine.
Environment read_host_facts();

/// Raises RLIMIT_NOFILE to its hard limit; returns the limit now in force.
std::uint64_t raise_open_files_limit();

/// Asks the kernel to let the calling thread run soon after it wakes, for a short while each time: a busy
/// machine then delays its reads less. Needs no rights; kernels before 6.12 take no notice.
void ask_for_short_slices();

}  // namespace infermeter
