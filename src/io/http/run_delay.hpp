// How long the calling thread was ready to run and had to wait for a processor, and how often it gave its own
// up, by the scheduler's account. One thread.
#pragma once

#include <optional>

#include "infermeter/base/clock.hpp"

namespace infermeter {

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

}  // namespace infermeter
