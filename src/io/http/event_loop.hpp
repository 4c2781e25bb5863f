// epoll with nanosecond timeouts. One thread.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <span>

#include "infermeter/base/clock.hpp"

namespace infermeter {

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Watches for EPOLLIN and/or EPOLLOUT (level-triggered); adds or changes. `known` = it was watched before.
  /// Returns an errno, 0 on success.
  int watch(int fd, std::uint32_t events, bool known);
  void forget(int fd);
  /// Waits until something is ready or `deadline`; at most 256 events a pass, so that none waits behind a
  /// long list.
  std::span<const epoll_event> wait(Instant deadline);
  /// Whether the last `wait` found nothing ready at first: then its events have just arrived. Else they may
  /// have been waiting since the previous call.
  bool blocked() const { return blocked_; }
  /// Whether the last `wait` slept until its events arrived: it went to sleep at once when it had found
  /// nothing ready, and no signal ended it (being stopped is one).
  bool slept() const { return slept_; }
  /// Just before the last `wait` looked for ready sockets at first.
  Instant looked_at() const { return looked_at_; }
  /// Whether the last `wait` returned every socket that was ready.
  bool returned_all() const { return returned_all_; }

 private:
  int ready_within(nanoseconds time);
  int fd_;
  bool blocked_ = false, slept_ = false, returned_all_ = false;
  Instant looked_at_;
  std::array<epoll_event, 256> ready_;
};

}  // namespace infermeter
