// The open sockets of one transport and the stamp of each socket's latest read. A stamp belongs to the
// connection, not to the transfer: on HTTP/2 one read serves many transfers. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// The loop's state: one pass per return of epoll_wait, one action per call into libcurl.
struct LoopPass {
  std::uint64_t number = 0;
  std::uint64_t action = 0;
  Instant woke;  // since when ready sockets may have been waiting: epoll_wait's return, if it blocked
  nanoseconds real_offset{};  // CLOCK_REALTIME − CLOCK_MONOTONIC
};

class Connections {
 public:
  /// `shared`: one connection carries many transfers (HTTP/2).
  Connections(bool kernel_timestamps, bool shared, std::size_t read_size)
      : kernel_timestamps_(kernel_timestamps), shared_(shared), read_size_(read_size) {}

  void opened(int fd);
  void closed(int fd);
  /// The socket bound to this local port, or −1 (a unix socket has none).
  int by_local_port(int port);

  /// Called when `fd` is readable, before libcurl reads it: peeks the arrival of the waiting bytes.
  void peek(int fd, const LoopPass& pass);
  /// Called before libcurl may read sockets by itself (HTTP/2 from its timer): peeks all sockets, and keeps
  /// the stamp of those without waiting bytes.
  void peek_all(const LoopPass& pass);
  /// The stamp for bytes that libcurl hands out now, read from `fd` (−1: unknown): the peeked stamp, if the
  /// bytes belong to the action for which it was peeked; on a shared connection, where bytes are handed out
  /// later than they are read, to this pass or the previous one. Else the clock, marked as such: libcurl
  /// sometimes reads by itself.
  const ReadStamp& stamp(int fd, const LoopPass& pass);
  /// When the bytes that this pass read from `fd` had arrived; `at` if that is not known.
  Instant arrival(int fd, const LoopPass& pass, Instant at) const;

 private:
  struct Connection {
    bool open = false;
    int port = 0;
    bool peeked = false;
    std::uint64_t peek_pass = 0;
    std::uint64_t peek_action = 0;  // the action that reads the peeked bytes
    Instant peeked_at;
    std::uint64_t user_action = 0;
    bool handed_out = false;  // some of the read's bytes were handed out
    Instant handed_at;
    bool spread = false;              // several events may be waiting: the last stamp was peeked too
    std::uint64_t received_then = 0;  // if spread, bytes received at the time of the peek
    ReadStamp stamp;
  };
  void peeked_at(Connection& connection, int fd, nanoseconds real_arrival, const LoopPass& pass);
  void hand_out(Connection& connection, int fd, Instant at);
  void stamp_by_clock(Connection& connection, const LoopPass& pass, Instant at);
  void name_new_sockets();

  bool kernel_timestamps_;
  bool shared_;
  std::size_t read_size_;
  std::uint64_t reads_ = 0;
  std::vector<Connection> by_fd_;
  std::vector<int> unnamed_;  // opened, local port not yet queried
  std::unordered_map<int, int> fd_of_port_;
  Connection unknown_;
};

}  // namespace infermeter
