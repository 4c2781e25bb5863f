// Watches libcurl's sockets, and pauses the watch for writing where libcurl wants to write but has nothing
// that it may write: over HTTP/2 to a server that allows no stream (MAX_CONCURRENT_STREAMS 0), whose socket
// is writable all the time. 20,000 idle passes a second were measured. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "infermeter/base/clock.hpp"
#include "io/http/event_loop.hpp"

namespace infermeter {

class WriteWatch {
 public:
  explicit WriteWatch(EventLoop& loop) : loop_(loop) {}

  /// What libcurl waits for; `known`: it waited on this socket before. Returns an errno, 0 on success.
  int want(int fd, std::uint32_t events, bool known);
  void forget(int fd);
  /// Called after libcurl was told that it can write; `did`: something came of it.
  void wrote(int fd, bool did, Instant now);
  /// Whether nothing can be written there although libcurl wants to.
  bool is_stuck(int fd) const;
  /// When the next pause is over.
  std::optional<Instant> next() const { return next_; }
  /// Ends the pauses that are over.
  void resume(Instant now);

 private:
  struct Socket {
    std::uint32_t events = 0;  // as wanted
    int idle = 0;              // times that nothing came of it, one after the other
    bool paused = false;
    std::uint32_t segments = 0;  // that it had sent the last time
  };
  int watch(int fd, const Socket& socket, bool known);

  EventLoop& loop_;
  std::unordered_map<int, Socket> sockets_;
  std::optional<Instant> next_;
};

}  // namespace infermeter
