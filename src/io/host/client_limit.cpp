#include "io/host/client_limit.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "infermeter/base/units.hpp"
#include "io/host/host_facts.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kPortRange = "/proc/sys/net/ipv4/ip_local_port_range";
constexpr std::uint64_t kMostPorts = 60'000;  // a range of this size is as wide as it gets

std::optional<std::uint64_t> own_limit(__rlimit_resource_t resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// The n-th number of the file; nothing if there is none ("max").
std::optional<std::uint64_t> system_number(const std::string& path, int n = 0) {
  std::istringstream in(system_line(path));
  std::uint64_t value = 0;
  for (int i = 0; i <= n; ++i) {
    if (!(in >> value)) return std::nullopt;
  }
  return value;
}

std::string pids_folder() {
  const std::string v2 = "/sys/fs/cgroup" + cgroup_path(system_text("/proc/self/cgroup"));
  return ::access((v2 + "/pids.max").c_str(), R_OK) == 0 ? v2 : "/sys/fs/cgroup/pids";
}

/// Without these rights the kernel counts a user's threads against RLIMIT_NPROC.
bool may_exceed_threads() {
  if (::geteuid() == 0) return true;
  constexpr std::uint64_t kSysAdmin = 1u << 21, kSysResource = 1u << 24;
  std::istringstream in(system_text("/proc/self/status"));
  for (std::string word; in >> word;) {
    if (word != "CapEff:") continue;
    std::uint64_t held = 0;
    in >> std::hex >> held;
    return (held & (kSysAdmin | kSysResource)) != 0;
  }
  return false;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const Folder folder(::opendir(path.c_str()));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

std::uint64_t threads_of_process(const std::string& pid) {
  std::istringstream in(system_text("/proc/" + pid + "/status"));
  for (std::string word; in >> word;) {
    std::uint64_t count = 0;
    if (word == "Threads:" && in >> count) return count;
  }
  return 0;
}

std::uint64_t threads_of_user() {
  std::uint64_t sum = 0;
  for (const auto& name : names_in("/proc")) {
    struct stat facts{};
    const bool process = name.find_first_not_of("0123456789") == std::string::npos;
    if (process && ::stat(("/proc/" + name).c_str(), &facts) == 0 && facts.st_uid == ::getuid())
      sum += threads_of_process(name);
  }
  return sum;
}

/// The connections of this network namespace that are closed and still hold their ports.
std::uint64_t held_ports() {
  std::istringstream in(system_text("/proc/net/sockstat"));
  for (std::string word; in >> word;) {
    std::uint64_t count = 0;
    if (word == "tw" && in >> count) return count;
  }
  return 0;
}

std::optional<std::uint64_t> local_ports() {
  const auto first = system_number(std::string(kPortRange)), last = system_number(std::string(kPortRange), 1);
  if (!first || !last || *last < *first) return std::nullopt;
  return *last - *first + 1;
}

std::string range_text() {
  std::string text = system_line(std::string(kPortRange));
  std::ranges::replace(text, '\t', ' ');
  return text;
}

std::string open_files_words() {
  const std::uint64_t now = own_limit(RLIMIT_NOFILE).value_or(0);
  return fmt::format(
      "no file descriptor is left: this process may open {} files; {} raises that (as root above the hard "
      "limit)",
      format_count(now), raise_open_files(2 * now));
}

std::string system_files_words() {
  const std::uint64_t now = system_number("/proc/sys/fs/file-max").value_or(0);
  return fmt::format(
      "no file descriptor is left on this machine: fs.file-max is {}; `sysctl -w fs.file-max={}` raises it",
      now, std::max<std::uint64_t>(1'000'000, 2 * now));
}

std::string local_ports_words() {
  const std::uint64_t ports = local_ports().value_or(0), held = held_ports();
  std::string text =
      fmt::format("no local port is left for this server: net.ipv4.ip_local_port_range is {} ({} ports",
                  range_text(), format_count(ports));
  if (held > 0) text += fmt::format(", {} connections in TIME_WAIT", format_count(held));
  if (ports >= kMostPorts)
    return text + "); send from several machines or to several addresses of the server";
  return fmt::format("{}); {} raises that", text, kRaisePorts);
}

std::string socket_memory_words() {
  const std::uint64_t pages = system_number("/proc/sys/net/ipv4/tcp_mem", 2).value_or(0);
  return fmt::format(
      "the kernel has no buffer left for sockets: net.ipv4.tcp_mem allows {} pages; `sysctl -w "
      "net.ipv4.tcp_mem=\"{} {} {}\"` raises that",
      format_count(pages), pages, pages * 3 / 2, pages * 2);
}

std::string memory_words() {
  if (const auto bytes = own_limit(RLIMIT_AS))
    return fmt::format(
        "out of memory: this process may take {} kB of address space; `ulimit -v unlimited` raises that",
        format_count(*bytes / 1024));
  return "out of memory: this machine or container has none left; `free -h` shows what is used";
}

std::string thread_limit_words() {
  if (const auto limit = own_limit(RLIMIT_NPROC);
      limit && !may_exceed_threads() && threads_of_user() >= *limit)
    return fmt::format(
        "this user may have {} processes and threads; {} raises that (as root above the hard limit)",
        format_count(*limit), raise_threads(*limit));
  const std::string folder = pids_folder();
  const auto most = system_number(folder + "/pids.max"), now = system_number(folder + "/pids.current");
  if (most && now && *now >= *most)
    return fmt::format(
        "this control group or container may have {0} processes and threads; `echo {1} > {2}/pids.max`, or "
        "the container's --pids-limit {1}, raises that",
        format_count(*most), std::max<std::uint64_t>(4096, 2 * *most), folder);
  if (own_limit(RLIMIT_AS)) return memory_words();
  const std::uint64_t threads = system_number("/proc/sys/kernel/threads-max").value_or(0);
  return fmt::format("kernel.threads-max is {}; `sysctl -w kernel.threads-max={}` raises it", threads,
                     2 * threads);
}

std::string watches_words() {
  const std::uint64_t now = system_number("/proc/sys/fs/epoll/max_user_watches").value_or(0);
  return fmt::format(
      "no further socket can be watched: fs.epoll.max_user_watches is {}; `sysctl -w "
      "fs.epoll.max_user_watches={}` raises it",
      now, std::max<std::uint64_t>(1'000'000, 2 * now));
}

/// Linux lets a new connection take the port of one in TIME_WAIT after a second, if it is told to
/// (tcp_tw_reuse: 1 everywhere, 2 on loopback) and both sides have timestamps.
std::chrono::seconds port_hold(std::uint64_t reuse_from) {
  constexpr std::chrono::seconds kTimeWait{60}, kReused{1};
  const std::uint64_t reuse = system_number("/proc/sys/net/ipv4/tcp_tw_reuse").value_or(0);
  const bool stamped = system_number("/proc/sys/net/ipv4/tcp_timestamps").value_or(0) > 0;
  return stamped && reuse > 0 && reuse <= reuse_from ? kReused : kTimeWait;
}

void read_thread_limits(HostLimits& limits) {
  const std::string folder = pids_folder();
  limits.threads = system_number(folder + "/pids.max");
  limits.threads_now = system_number(folder + "/pids.current");
  // Under the usual tens of thousands, counting the threads of all processes would only delay the start.
  constexpr std::uint64_t kRoomy = 10'000;
  const auto own = may_exceed_threads() ? std::nullopt : own_limit(RLIMIT_NPROC);
  if (!own || *own > kRoomy || (limits.threads && *limits.threads <= *own)) return;
  limits.threads = own;
  limits.threads_now = threads_of_user();
}

}  // namespace

std::optional<ClientLimit> client_limit_of(int error) {
  switch (error) {
    case EMFILE:
      return ClientLimit::open_files;
    case ENFILE:
      return ClientLimit::system_files;
    case EADDRNOTAVAIL:
      return ClientLimit::local_ports;
    case ENOBUFS:
      return ClientLimit::socket_memory;
    case ENOMEM:
      return ClientLimit::memory;
    default:
      return std::nullopt;
  }
}

std::string raise_open_files(std::uint64_t needed) {
  std::uint64_t limit = 65'536;
  while (limit < needed) limit *= 2;
  return fmt::format("`ulimit -n {}`", limit);
}

std::string raise_threads(std::uint64_t limit) {
  return fmt::format("`ulimit -u {}`", std::max<std::uint64_t>(4096, 2 * limit));
}

std::string limit_words(ClientLimit limit) {
  switch (limit) {
    case ClientLimit::open_files:
      return open_files_words();
    case ClientLimit::system_files:
      return system_files_words();
    case ClientLimit::local_ports:
      return local_ports_words();
    case ClientLimit::socket_memory:
      return socket_memory_words();
    case ClientLimit::memory:
      return memory_words();
    case ClientLimit::threads:
      return "no further thread can be started: " + thread_limit_words();
    case ClientLimit::watches:
      return watches_words();
  }
  return {};
}

std::string error_words(int error) {
  const auto file_size = error == EFBIG ? own_limit(RLIMIT_FSIZE) : std::nullopt;
  if (file_size)
    return fmt::format("{} (a file may have {} kB: ulimit -f)", std::generic_category().message(error),
                       *file_size / 1024);
  const auto limit = client_limit_of(error);
  return limit ? limit_words(*limit) : std::generic_category().message(error);
}

std::string failure_words(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return limit_words(ClientLimit::memory);
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system == nullptr) return error.what();
  const int code = of_system->code().value();
  if (code == EAGAIN) return limit_words(ClientLimit::threads);  // of std::thread
  return client_limit_of(code) ? error_words(code) : error.what();
}

std::optional<ClientLimit> descriptors_short_of(int count) {
  std::vector<int> taken;
  std::optional<ClientLimit> limit;
  while (!limit && std::cmp_less(taken.size(), count)) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      limit = client_limit_of(errno);
      break;
    }
    taken.push_back(fd);
  }
  for (const int fd : taken) ::close(fd);
  return limit;
}

HostLimits read_host_limits() {
  HostLimits limits;
  limits.open_files = own_limit(RLIMIT_NOFILE);
  // One of them is the folder itself, which is closed again.
  if (const auto open = names_in("/proc/self/fd"); !open.empty()) limits.open_now = open.size() - 1;
  limits.local_ports = local_ports();
  limits.port_range = range_text();
  limits.loopback_port_hold = port_hold(2);
  limits.port_hold = port_hold(1);
  read_thread_limits(limits);
  return limits;
}

}  // namespace infermeter
