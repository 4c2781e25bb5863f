// Facts about this machine that affect a measurement: CPU, cores, kernel, load, governor, limits. Any thread;
// facts that the system does not provide are empty or 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// All of `Environment` except values that only a run knows: `client_cpu_share` and `timestamp_source`.
/// `cores` is the number that this process may use (affinity and cgroup quota), not the machine's; the host
/// name is stored as a hash, which shows whether two results come from one machine.
Environment read_host_facts();

/// Raises RLIMIT_NOFILE to its hard limit; returns the limit now in force.
std::uint64_t raise_open_files_limit();

/// Asks the kernel to schedule the calling thread soon after it wakes, for a short time slice: a busy machine
/// then delays its reads less. Needs no privileges; kernels before 6.12 ignore it.
void ask_for_short_slices();

/// A small file in which the system gives its facts (/proc, /sys, /etc). Empty if it cannot be read: a fact
/// that a system does not provide is not an error.
std::string system_text(const std::string& path);
/// Its first line.
std::string system_line(const std::string& path);

/// `model name` of /proc/cpuinfo (x86), else `Model`, `cpu model` or `Hardware` (other machines); empty if
/// none.
std::string cpu_model(std::string_view cpuinfo);
/// PRETTY_NAME of /etc/os-release.
std::string os_name(std::string_view os_release);
/// Cores that cgroup v2's cpu.max ("200000 100000", "max 100000") allows, rounded up; nothing if unlimited.
std::optional<std::uint32_t> cgroup_cores(std::string_view cpu_max);
/// The folder of this process below the cgroup v2 mount, from /proc/self/cgroup ("0::/user.slice"); empty if
/// there is none.
std::string cgroup_path(std::string_view self_cgroup);
/// The first number of /proc/loadavg.
double load_1min(std::string_view loadavg);

}  // namespace infermeter
