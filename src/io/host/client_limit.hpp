// The limits of this machine and process that a load generator runs into: which one an error means, its
// present value, and the command that raises it. A request that meets one ends as Outcome::client_limit,
// because the server was not asked. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

enum class ClientLimit : std::uint8_t {
  open_files,     // of this process
  system_files,   // of all processes
  local_ports,    // for connections to one address and port
  socket_memory,  // the kernel's buffers
  memory,
  threads,
  watches,  // sockets that epoll watches, of this user
};

/// Of a failed socket(), connect(), open(), epoll_create(); nothing for any other error. EAGAIN (a thread)
/// and ENOSPC (epoll_ctl) have other meanings elsewhere: where they occur, the limit is known.
std::optional<ClientLimit> client_limit_of(int error);

/// "no file descriptor is left: this process may open 8 files; `ulimit -n 65536` raises that".
std::string limit_words(ClientLimit limit);

/// The commands that raise a limit: to `needed` descriptors at least; above this limit of threads; of ports.
std::string raise_open_files(std::uint64_t needed);
std::string raise_threads(std::uint64_t limit);
inline constexpr std::string_view kRaisePorts = "`sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"`";

/// An errno in words, and the limit if there is one: for the message on what cannot be opened, created or
/// written.
std::string error_words(int error);

/// What an exception of the standard library says, with the limit if it is about one: a thread that could not
/// be started, memory.
std::string failure_words(const std::exception& error);

/// The limit that leaves fewer than `count` descriptors: a library that needs one of them fails with an error
/// of its own, such as a certificate or a name that it cannot read.
std::optional<ClientLimit> descriptors_short_of(int count);

/// What a plan is compared with before it starts. A limit that is not known, or that does not hold for this
/// user, is nothing.
struct HostLimits {
  std::optional<std::uint64_t> open_files, open_now;
  std::optional<std::uint64_t> local_ports;
  std::string port_range;  // "32768 60999"
  /// How long a closed connection keeps its local port, to this machine itself and to others.
  std::chrono::seconds loopback_port_hold{60}, port_hold{60};
  std::optional<std::uint64_t> threads, threads_now;
};
HostLimits read_host_limits();

}  // namespace infermeter
