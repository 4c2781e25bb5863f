#include "io/http/connections.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "io/http/arrival_stamp.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kLate = std::chrono::milliseconds(1);

int local_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace

void Connections::opened(int fd) {
  if (static_cast<std::size_t>(fd) >= by_fd_.size()) by_fd_.resize(static_cast<std::size_t>(fd) + 1);
  by_fd_[static_cast<std::size_t>(fd)] = Connection{.open = true};
  unnamed_.push_back(fd);
  if (kernel_timestamps_) request_arrival_stamps(fd);
}

void Connections::closed(int fd) {
  if (fd < 0 || static_cast<std::size_t>(fd) >= by_fd_.size()) return;
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  const auto known = fd_of_port_.find(connection.port);
  if (known != fd_of_port_.end() && known->second == fd) fd_of_port_.erase(known);
  std::erase(unnamed_, fd);
  connection = Connection{};
}

int Connections::by_local_port(int port) {
  if (port <= 0) return -1;
  if (!fd_of_port_.contains(port)) name_new_sockets();
  const auto known = fd_of_port_.find(port);
  return known == fd_of_port_.end() ? -1 : known->second;
}

// A socket has its local port once connect() was called; each socket is queried once, not per request.
void Connections::name_new_sockets() {
  std::erase_if(unnamed_, [this](int fd) {
    const int port = local_port(fd);
    if (port == 0) return false;
    by_fd_[static_cast<std::size_t>(fd)].port = port;
    fd_of_port_[port] = fd;
    return true;
  });
}

void Connections::peek(int fd, const LoopPass& pass) {
  if (!kernel_timestamps_ || static_cast<std::size_t>(fd) >= by_fd_.size()) return;
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  const auto first = peek_first_arrival(fd);
  connection.peeked = first.has_value();
  if (first) peeked_at(connection, fd, *first, pass);
}

void Connections::peek_all(const LoopPass& pass) {
  if (!kernel_timestamps_) return;
  for (std::size_t i = 0; i < by_fd_.size(); ++i) {
    if (!by_fd_[i].open) continue;
    const int fd = static_cast<int>(i);
    if (const auto first = peek_first_arrival(fd)) peeked_at(by_fd_[i], fd, *first, pass);
  }
}

void Connections::peeked_at(Connection& connection, int fd, nanoseconds real_arrival, const LoopPass& pass) {
  connection.peeked = true;
  connection.peek_pass = pass.number;
  connection.peek_action = pass.action + 1;
  connection.handed_out = false;
  ReadStamp& stamp = connection.stamp;
  stamp = ReadStamp{.read_id = ++reads_, .arrival = Instant(real_arrival - pass.real_offset), .kernel = true};
  connection.peeked_at = now();
  stamp.loop_delay = connection.peeked_at - pass.woke;
  stamp.last_arrival = stamp.arrival;
  // The read is late, by the loop's pass or because epoll returned other sockets first: several events may be
  // waiting.
  connection.spread = shared_ || std::max(stamp.loop_delay, connection.peeked_at - stamp.arrival) >= kLate;
  if (!connection.spread) return;
  connection.received_then = bytes_received(fd);
  if (const auto last = peek_last_arrival(fd, read_size_))
    stamp.last_arrival = Instant(*last - pass.real_offset);
}

const ReadStamp& Connections::stamp(int fd, const LoopPass& pass) {
  const bool known = fd >= 0 && static_cast<std::size_t>(fd) < by_fd_.size();
  Connection& connection = known ? by_fd_[static_cast<std::size_t>(fd)] : unknown_;
  const Instant at = now();
  const bool same = shared_ ? pass.number - connection.peek_pass <= 1 : pass.action == connection.peek_action;
  const bool current = connection.peeked && same;
  // libcurl may read a second time in one action; if it is delayed in between, that read is a separate one
  // without a peek.
  const bool read_again = connection.handed_out && !shared_ && at - connection.handed_at >= kLate;
  if (!current || read_again) {
    stamp_by_clock(connection, pass, at);
  } else {
    hand_out(connection, fd, at);
  }
  return connection.stamp;
}

Instant Connections::arrival(int fd, const LoopPass& pass, Instant at) const {
  if (fd < 0 || static_cast<std::size_t>(fd) >= by_fd_.size() || shared_) return at;
  const Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  const bool known = connection.peeked && connection.peek_pass == pass.number;
  return known ? std::min(connection.stamp.last_arrival, at) : at;
}

void Connections::hand_out(Connection& connection, int fd, Instant at) {
  ReadStamp& stamp = connection.stamp;
  // Bytes arrived between peek and read, or libcurl read further by itself: no bytes of this read arrived
  // after now.
  const bool more = connection.spread && bytes_taken(fd) > connection.received_then;
  const bool held_up = !connection.handed_out && at - connection.peeked_at >= kLate;
  if (more || held_up) stamp.last_arrival = at;
  // On a shared connection the bytes handed out first need not have arrived first.
  if (shared_) stamp.arrival = stamp.last_arrival;
  if (!connection.handed_out) stamp.lag = at - stamp.arrival;
  connection.handed_out = true;
  connection.handed_at = at;
}

// The clock replaces the arrival stamp; callbacks of one action share one read.
void Connections::stamp_by_clock(Connection& connection, const LoopPass& pass, Instant at) {
  connection.peeked = false;
  const bool same_read = connection.user_action == pass.action && connection.stamp.read_id != 0 &&
                         !connection.stamp.kernel && at - connection.stamp.arrival < kLate;
  if (same_read) return;
  connection.user_action = pass.action;
  connection.stamp =
      ReadStamp{.read_id = ++reads_, .arrival = at, .last_arrival = at, .loop_delay = at - pass.woke};
}

}  // namespace infermeter
