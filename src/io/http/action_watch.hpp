// Ends an action of libcurl that would not end: under a flood of HTTP/2 frames that carry nothing
// (WINDOW_UPDATE, PRIORITY, empty DATA) libcurl reads until the socket is empty, which it never is, and calls
// nothing of ours meanwhile, so that neither a timeout nor Ctrl-C is seen. A thread of its own shuts the
// connection down.
#pragma once

#include <ctime>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace infermeter {

/// All functions but the thread's own are called by the thread that calls libcurl.
class ActionWatch {
 public:
  ActionWatch();
  ~ActionWatch();
  ActionWatch(const ActionWatch&) = delete;
  ActionWatch& operator=(const ActionWatch&) = delete;

  /// Around an action on this socket; a negative one: on any of them.
  void begin(int fd);
  void end();
  void opened(int fd);
  void closed(int fd);
  /// Whether the connection was shut down, until its socket is closed.
  bool has_cut(int fd) const;

 private:
  void watch();
  void cut();

  mutable std::mutex mutex_;  // guards all but the thread
  std::condition_variable ended_;
  bool over_ = false;
  std::map<int, bool> sockets_;  // the open ones, and whether they were shut down
  bool acting_ = false;
  int acting_on_ = -1;
  std::uint64_t action_ = 0;
  clockid_t clock_{};  // processor time of the thread that acts
  std::thread thread_;
};

}  // namespace infermeter
