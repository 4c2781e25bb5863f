#include "io/http/run_delay.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace infermeter {

RunDelay::~RunDelay() {
  if (fd_ >= 0) close(fd_);
}

// "time on a processor, time waiting for one, slices", in nanoseconds (the kernel's sched-stats.rst).
std::optional<RunDelay::Account> RunDelay::since_last() {
  if (!tried_) fd_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  tried_ = true;
  asked_at_ = now();
  char text[96];
  const ssize_t length = fd_ < 0 ? -1 : pread(fd_, text, sizeof(text) - 1, 0);
  if (length <= 0) return std::nullopt;
  text[length] = '\0';
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return std::nullopt;
  const Account all{nanoseconds(static_cast<std::int64_t>(std::strtoull(second, nullptr, 10))),
                    usage.ru_nvcsw};
  const Account since{all.waited - before_.waited, all.gave_up - before_.gave_up};
  before_ = all;
  return since;
}

}  // namespace infermeter
