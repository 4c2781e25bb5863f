// The open sockets of one transport and the stamp of each socket's latest read. A stamp belongs to the
// connection, not to the transfer: on HTTP/2 one read serves many transfers. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"
#include "io/http/waiting_bytes.hpp"

namespace infermeter {

/// The loop's state: one pass per return of epoll_wait, one action per call into libcurl.
struct LoopPass {
  std::uint64_t number = 0;
  std::uint64_t action = 0;
  Instant woke;  // since when ready sockets may have been waiting: epoll_wait's return, if it blocked
  nanoseconds real_offset{};   // CLOCK_REALTIME − CLOCK_MONOTONIC
  Instant looked_at;           // just before epoll_wait
  Instant returned;            // from it
  bool found_nothing = false;  // just after `looked_at` no socket was ready
  bool slept = false;          // and the loop slept until one was
  std::size_t ready = 0;       // sockets that were, at the return
};

/// What the connections of one transport have in common.
struct ConnectionRules {
  bool kernel_timestamps = true;
  bool shared = false;     // one connection carries many transfers (HTTP/2)
  bool encrypted = false;  // what libcurl hands out is not what the socket received
  std::size_t read_size = 0;
};

/// The time of the bytes that libcurl hands out, or of the first part of them.
struct StampedBytes {
  const ReadStamp& stamp;
  std::size_t bytes;
};

/// How long the calling thread was ready to run and had to wait for a processor, and how often it gave its
/// own up, by the scheduler's account.
class RunDelay {
 public:
  RunDelay() = default;
  ~RunDelay();
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;

  struct Account {
    nanoseconds waited{};
    long gave_up = 0;  // slept, or was stopped
  };
  /// Since the previous call, or since the thread began. Nothing where the kernel keeps no account.
  std::optional<Account> since_last();
  /// When it was last asked.
  Instant asked_at() const { return asked_at_; }

 private:
  int fd_ = -1;
  bool tried_ = false;
  Account before_;
  Instant asked_at_;
};

class Connections {
 public:
  explicit Connections(const ConnectionRules& rules)
      : kernel_timestamps_(rules.kernel_timestamps),
        shared_(rules.shared),
        encrypted_(rules.encrypted),
        waiting_(rules.read_size) {}

  void opened(int fd);
  void closed(int fd);
  /// The socket bound to this local port, or −1 (a unix socket has none).
  int by_local_port(int port);

  /// Called once a pass, before its first peek; `all`: every socket that was ready is among its own.
  void begin_pass(const LoopPass& pass, bool all);
  /// Called when `fd` is readable, before libcurl reads it: peeks the arrival of the waiting bytes.
  void peek(int fd, const LoopPass& pass);
  /// A request is about to be written to `fd`: its answer comes later.
  void sends(int fd, const LoopPass& pass, Instant at);
  /// Called before libcurl may read sockets by itself (HTTP/2 from its timer): peeks all sockets, and keeps
  /// the stamp of those without waiting bytes.
  void peek_all(const LoopPass& pass);
  /// The stamp for bytes that libcurl hands out now, read from `fd` (−1: unknown): the peeked stamp, if the
  /// bytes belong to the action for which it was peeked; on a shared connection, where bytes are handed out
  /// later than they are read, to this pass or the previous one. Else the clock, marked as such: libcurl
  /// sometimes reads by itself.
  StampedBytes stamp(int fd, const LoopPass& pass, std::string_view bytes);
  /// When the bytes that this pass read from `fd` had arrived; `at` if that is not known.
  Instant arrival(int fd, const LoopPass& pass, Instant at) const;

 private:
  /// A return of epoll_wait with every ready socket: the others were empty after `at`, and if the loop slept
  /// even when it was woken.
  struct LoopCheck {
    std::uint64_t pass = 0;
    Instant at, returned;
    bool slept = false;
    std::size_t ready = 0;
  };
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
    bool spread = false;              // several events may be waiting, and the client was late
    std::uint64_t received_then = 0;  // if spread, bytes received at the time of the peek
    std::uint64_t watched_pass = 0;   // watched for bytes from the next pass on
    std::uint64_t ready_pass = 0;     // the last one in which it was readable
    std::uint32_t segments_then = 0;  // received when they were last counted
    std::uint32_t reads_since = 0;    // peeks since then
    bool uneven = false;              // one of them left bytes for the next
    Instant drained;                  // what had arrived by then was read
    LoopCheck woken_by;               // the loop slept until something arrived after it was last seen empty
    Instant earliest;                 // no byte of the latest read arrived before
    Instant seen;  // shared: seen empty by the latest read; `earliest` is that of the one before
    std::size_t handed_bytes = 0;  // of the latest read
    ReadStamp stamp;
  };
  void become_readable(Connection& connection, const LoopPass& pass);
  Instant seen_empty(const Connection& connection, const LoopPass& pass) const;
  Instant woken(const LoopCheck& check);
  bool was_empty_at(const Connection& connection, const LoopCheck& check) const;
  void peeked_at(Connection& connection, int fd, const LoopPass& pass);
  void stamp_plain(Connection& connection, int fd, const LoopPass& pass);
  void stamp_opaque(Connection& connection, int fd, const LoopPass& pass);
  static std::uint32_t segments_of_read(Connection& connection, int fd);
  void refine_earliest(Connection& connection);
  bool is_opaque() const { return shared_ || encrypted_; }
  bool is_waiting(int fd, const LoopPass& pass) const;
  void hand_out(Connection& connection, int fd, const LoopPass& pass, Instant at);
  void hand_out(Connection& connection, const WaitingBytes::Mark& mark, Instant at);
  void stamp_by_clock(Connection& connection, const LoopPass& pass, Instant at);
  void name_new_sockets();

  bool kernel_timestamps_;
  bool shared_;
  bool encrypted_;
  WaitingBytes waiting_;
  int acting_fd_ = -1;  // the socket of an action
  std::uint64_t acting_action_ = 0;
  int waiting_fd_ = -1;  // whose bytes they are
  std::uint64_t waiting_action_ = 0;
  LoopCheck check_,
      pass_check_;  // the last one that returned all before the current pass, and that of this pass
  bool returned_all_ = false;
  RunDelay run_delay_;
  long sleeps_ = 0;                                       // of the loop, since it was asked
  std::uint64_t woken_pass_ = 0, before_woken_pass_ = 0;  // of `woken_at_`, and of the one before
  Instant woken_at_, before_woken_at_;
  std::uint64_t reads_ = 0;
  std::vector<Connection> by_fd_;
  std::vector<int> unnamed_;  // opened, local port not yet queried
  std::unordered_map<int, int> fd_of_port_;
  Connection unknown_;
};

}  // namespace infermeter
