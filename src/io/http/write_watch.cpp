#include "io/http/write_watch.hpp"

#include <utility>

#include "io/http/arrival_stamp.hpp"

namespace infermeter {
namespace {

// An upload that makes way has a few idle passes in a row, while TLS or HTTP/2 empty a buffer of their own.
constexpr int kMostIdle = 16;
constexpr nanoseconds kPause = std::chrono::milliseconds(10);

}  // namespace

int WriteWatch::want(int fd, std::uint32_t events, bool known) {
  Socket& socket = sockets_[fd];
  if (!known) socket = {};
  socket.events = events;
  return watch(fd, socket, known);
}

int WriteWatch::watch(int fd, const Socket& socket, bool known) {
  return loop_.watch(fd, socket.paused ? socket.events & ~std::uint32_t{EPOLLOUT} : socket.events, known);
}

void WriteWatch::forget(int fd) {
  sockets_.erase(fd);
  loop_.forget(fd);
}

void WriteWatch::wrote(int fd, bool did, Instant now) {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end()) return;
  Socket& socket = found->second;
  if (did || (socket.events & EPOLLOUT) == 0) {
    socket.idle = 0;
    return;
  }
  const std::uint32_t segments = segments_sent(fd);
  socket.idle = segments == std::exchange(socket.segments, segments) ? socket.idle + 1 : 0;
  if (socket.idle < kMostIdle) return;
  socket.paused = true;
  watch(fd, socket, true);
  if (!next_) next_ = now + kPause;
}

bool WriteWatch::is_stuck(int fd) const {
  const auto found = sockets_.find(fd);
  return found != sockets_.end() && found->second.idle >= kMostIdle;
}

void WriteWatch::resume(Instant now) {
  if (!next_ || *next_ > now) return;
  next_.reset();
  for (auto& [fd, socket] : sockets_) {
    if (!socket.paused) continue;
    socket.paused = false;
    watch(fd, socket, true);
  }
}

}  // namespace infermeter
