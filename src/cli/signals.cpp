#include "cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include "infermeter/base/errors.hpp"
#include "io/process/child_process.hpp"

namespace infermeter {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (!interrupted.exchange(true)) return;
  kill_servers_now();
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
