#include "io/http/action_watch.hpp"

#include <pthread.h>
#include <sys/socket.h>

#include <chrono>

#include "infermeter/base/clock.hpp"

namespace infermeter {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);
constexpr int kLooks = 10;
/// Of processor time meanwhile: a process that was stopped, or waits for a processor, has not acted for so
/// long.
constexpr auto kLongest = std::chrono::milliseconds(250);

nanoseconds time_of(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

ActionWatch::ActionWatch() : thread_([this] { watch(); }) {}

ActionWatch::~ActionWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ActionWatch::begin(int fd) {
  const std::lock_guard lock(mutex_);
  acting_ = true;
  acting_on_ = fd;
  ++action_;
  ::pthread_getcpuclockid(::pthread_self(), &clock_);
}

void ActionWatch::end() {
  const std::lock_guard lock(mutex_);
  acting_ = false;
}

void ActionWatch::opened(int fd) {
  const std::lock_guard lock(mutex_);
  sockets_[fd] = false;
}

void ActionWatch::closed(int fd) {
  const std::lock_guard lock(mutex_);
  sockets_.erase(fd);
}

bool ActionWatch::has_cut(int fd) const {
  const std::lock_guard lock(mutex_);
  const auto found = sockets_.find(fd);
  return found != sockets_.end() && found->second;
}

void ActionWatch::watch() {
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  int looks = 0;
  nanoseconds since{};
  while (!ended_.wait_for(lock, kLook, [this] { return over_; })) {
    if (!acting_) continue;
    const nanoseconds used = time_of(clock_);
    if (action_ != seen) {
      seen = action_;
      since = used;
      looks = 0;
    } else if (++looks >= kLooks && used - since >= kLongest) {
      cut();
    }
  }
}

// In both directions: after that the kernel resets the connection when more arrives, instead of taking it.
// And when it is closed: the server could be waiting for room until a minute is over.
void ActionWatch::cut() {
  const linger reset{1, 0};
  for (auto& [fd, is_cut] : sockets_) {
    if (is_cut || (acting_on_ >= 0 && fd != acting_on_)) continue;
    is_cut = true;
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ::shutdown(fd, SHUT_RDWR);
  }
}

}  // namespace infermeter
