#include "io/http/run_delay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace infermeter {

RunDelay::~RunDelay() {
  if (fd_ >= 0) close(fd_);
}

// "time on a processor, time waiting for one, slices", in nanoseconds (the kernel's sched-stats.rst).
std::optional<nanoseconds> RunDelay::since_last() {
  if (!tried_) fd_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  tried_ = true;
  asked_at_ = now();
  char text[96];
  const ssize_t length = fd_ < 0 ? -1 : pread(fd_, text, sizeof(text) - 1, 0);
  if (length <= 0) return std::nullopt;
  text[length] = '\0';
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  const nanoseconds waited{static_cast<std::int64_t>(std::strtoull(second, nullptr, 10))};
  const nanoseconds since = waited - before_;
  before_ = waited;
  return since;
}

}  // namespace infermeter
