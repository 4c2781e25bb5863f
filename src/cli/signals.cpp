#include "cli/signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "infermeter/base/errors.hpp"
#include "io/process/supervised_command.hpp"

namespace infermeter {
namespace {

// `timeout` signals the program and then its group, and a closing terminal sends two kinds: one wish to stop.
constexpr std::int64_t kSameWishNs = 300'000'000;

std::atomic<bool> interrupted{false};
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

// The project's clock may not be called in a handler.
std::int64_t monotonic_ns() {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

void on_signal(int) {
  std::int64_t first = 0;
  const std::int64_t at = monotonic_ns();
  if (first_signal_ns.compare_exchange_strong(first, at)) {
    interrupted = true;
    return;
  }
  if (at - first < kSameWishNs) return;
  kill_commands_now();
  _exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

const std::atomic<bool>& watch_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A closed terminal ends the run like Ctrl-C, unless nohup ignores SIGHUP.
  struct sigaction before{};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return interrupted;
}

}  // namespace infermeter
