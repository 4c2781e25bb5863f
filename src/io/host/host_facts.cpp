#include "io/host/host_facts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/random.hpp"
#include "base/text.hpp"

namespace infermeter {
namespace {

std::uint32_t cores_by_affinity() {
  // The kernel rejects a set smaller than its own, so the size grows on machines with over 1,024 cores.
  for (int cores = 1024; cores <= 1 << 18; cores *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cores));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cores));
    const bool known = ::sched_getaffinity(0, size, set) == 0;
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (known) return static_cast<std::uint32_t>(count);
  }
  return std::thread::hardware_concurrency();
}

// A limit may be set in any folder from this process's own up to the root; in a container the root of the
// mount is the container's own.
std::optional<std::uint32_t> cores_by_cgroup() {
  std::optional<std::uint32_t> least;
  std::string path = cgroup_path(system_text("/proc/self/cgroup"));
  while (true) {
    if (const auto cores = cgroup_cores(system_line("/sys/fs/cgroup" + path + "/cpu.max")))
      least = std::min(cores.value(), least.value_or(*cores));
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) break;
    path.resize(slash);
  }
  const std::string v1 = "/sys/fs/cgroup/cpu/cpu.cfs_";
  if (!least) least = cgroup_cores(system_line(v1 + "quota_us") + " " + system_line(v1 + "period_us"));
  return least;
}

std::string cpu_name(const utsname& system) {
  std::string model = cpu_model(system_text("/proc/cpuinfo"));
  if (model.empty()) model = system_line("/sys/firmware/devicetree/base/model");
  return model.empty() ? std::string(system.machine) : model;
}

std::uint64_t open_files_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::string compiler_name() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// The kernel's `struct sched_attr` in its first version: newer C libraries and the kernel's own header both
/// define it, and cannot be included together.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes), policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

constexpr std::string_view kBlank = " \t\r\n\"'";

/// The value of the first line `name<separator>value`.
std::string_view value_of(std::string_view text, std::string_view name, char separator) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto at = line.find(separator);
    if (at != std::string_view::npos && trim(line.substr(0, at), kBlank) == name)
      return trim(line.substr(at + 1), kBlank);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop != text.data() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string system_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string system_line(const std::string& path) {
  std::string text = system_text(path);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

Environment read_host_facts() {
  utsname system{};
  ::uname(&system);
  Environment facts;
  facts.cpu = cpu_name(system);
  facts.cores = cores_by_affinity();
  if (const auto quota = cores_by_cgroup()) facts.cores = std::min(facts.cores, *quota);
  facts.kernel = system.release;
  facts.os = os_name(system_text("/etc/os-release"));
  facts.governor = system_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.load_1min = load_1min(system_text("/proc/loadavg"));
  facts.open_files_limit = open_files_limit();
  facts.build_type = INFERMETER_BUILD_TYPE;
  facts.compiler = compiler_name();
  facts.hostname_hash = fmt::format("{:016x}", hash_bytes(system.nodename));
  return facts;
}

std::uint64_t raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &raised);
  }
  return open_files_limit();
}

void ask_for_short_slices() {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;  // the user has chosen another policy
  attributes.runtime_ns = 100'000;               // the shortest slice allowed
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

std::string cpu_model(std::string_view cpuinfo) {
  for (const char* name : {"model name", "Model", "cpu model", "Hardware"}) {
    if (const auto value = value_of(cpuinfo, name, ':'); !value.empty()) return std::string(value);
  }
  return {};
}

std::string os_name(std::string_view os_release) {
  return std::string(value_of(os_release, "PRETTY_NAME", '='));
}

std::optional<std::uint32_t> cgroup_cores(std::string_view cpu_max) {
  const auto space = cpu_max.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = number(cpu_max.substr(0, space));
  const auto period = number(cpu_max.substr(space + 1));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(*quota / *period));
}

std::string cgroup_path(std::string_view self_cgroup) {
  while (!self_cgroup.empty()) {
    const auto end = std::min(self_cgroup.find('\n'), self_cgroup.size());
    const std::string_view line = self_cgroup.substr(0, end);
    if (line.starts_with("0::")) return std::string(line.substr(3));
    self_cgroup.remove_prefix(std::min(end + 1, self_cgroup.size()));
  }
  return {};
}

double load_1min(std::string_view loadavg) { return number(loadavg).value_or(0); }

}  // namespace infermeter
