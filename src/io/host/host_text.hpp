// The texts of /proc, /sys and /etc from which facts of the host are read. Pure. Private to src/io.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

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
/// First figure of /proc/loadavg.
double load_1min(std::string_view loadavg);

}  // namespace infermeter
