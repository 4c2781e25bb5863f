#include "run/gate/command_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/resolve.hpp"
#include "model/secrets/secret_values.hpp"
#include "model/secrets/shell_secrets.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLastLines = 12;
/// From SIGTERM to SIGKILL; the second one where the command's time is over by then.
constexpr std::chrono::seconds kPatience(30), kShortPatience(5);

}  // namespace

CommandServers::CommandServers(const std::array<std::string, 2>& commands, const Plan& plan,
                               std::string directory, std::uint64_t log_limit, const TimeLimit& limit,
                               const Say& say)
    : commands_(commands),
      plan_(plan),
      directory_(std::move(directory)),
      log_limit_(log_limit),
      limit_(limit),
      say_(say),
      secrets_(secrets_of(plan)),
      watcher_([this](const std::stop_token& end) { watch(end); }) {}

CommandServers::~CommandServers() = default;

// The user's interrupt is passed on; a server that ends by itself ends the wait for it, or its measurement.
void CommandServers::watch(const std::stop_token& end) {
  // A look may search all processes, which must not disturb a measurement.
  constexpr int kLooksWhileMeasured = 50;
  for (int turn = 0; !end.stop_requested(); ++turn) {
    {
      const std::lock_guard lock(mutex_);
      const bool looks = up_ && (!ready_ || turn % kLooksWhileMeasured == 0);
      if (looks && has_ended()) died_ = true;
      if (limit_.stopped() || died_) stop_ = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// A helper that a server leaves behind is no server.
bool CommandServers::has_ended() {
  if (!process_->running()) return true;
  return ready_ && process_->failed() && !went_on_;
}

// Another server at that address would be mistaken for the one being started.
void CommandServers::refuse_taken_port(const Target& target) const {
  const TargetUrl url = resolve_target_url(target.url);
  const Instant give_up = now() + 5s;  // the previous server may still be closing its socket
  while (takes_connections(url.host, url.port) && !limit_.over(now())) {
    if (now() > give_up)
      throw EnvironmentError(
          fmt::format("a server is already listening at {}:{}, before the {}'s command was run", url.host,
                      url.port, target.name),
          "Stop it, or say where the command's own server listens: --baseline-url, --candidate-url.");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (limit_.over(now())) throw Error(ExitCode::interrupted, limit_.text());
}

void CommandServers::up(std::uint32_t target, const std::function<void()>& look) {
  const Target& asked = plan_.targets[target];
  refuse_taken_port(asked);
  log_ = fmt::format("{}/{}-{}.log", directory_, asked.name, ++starts_[target]);
  say_(fmt::format(" {} {}: starting", asked.name, starts_[target]));
  const Instant begun = now();
  {
    const std::lock_guard lock(mutex_);
    process_.emplace(commands_[target], log_, log_limit_, secrets_);
    up_ = true;
    ready_ = false;
  }
  try {
    look();
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    if (limit_.over(now())) {
      end_process(target);
      throw Error(ExitCode::interrupted, limit_.text());
    }
    if (died_) fail(target, fmt::format("ended before it was ready ({})", process_->how_it_ended()));
    const bool late = now() - begun >= plan_.wait_ready;
    fail(target, fmt::format("{}: {}",
                             late ? "was not ready within " + format_duration(plan_.wait_ready)
                                  : "cannot be measured",
                             error.what()));
  }
  const std::lock_guard lock(mutex_);
  if (!process_->running())
    fail(target, fmt::format("ended as soon as it was ready ({})", process_->how_it_ended()));
  ready_ = true;
  went_on_ = process_->failed();
  say_(fmt::format(" {} {}: ready after {}", asked.name, starts_[target], format_duration(now() - begun)));
}

void CommandServers::down(std::uint32_t target) {
  const std::lock_guard lock(mutex_);
  if (!limit_.over(now()) && has_ended())
    fail(target, fmt::format("ended while it was measured ({})", process_->how_it_ended()));
  if (limit_.stopped())
    say_(fmt::format(" waiting for the {}'s server to end; Ctrl-C again kills it",
                     plan_.targets[target].name));
  end_process(target);
}

void CommandServers::end_process(std::uint32_t target) {
  up_ = false;
  const nanoseconds left = std::clamp<nanoseconds>(limit_.left(now()), kShortPatience, kPatience);
  process_->stop(std::chrono::ceil<std::chrono::milliseconds>(left));
  const bool cut = process_->log_cut();
  process_.reset();
  if (cut)
    say_(fmt::format(" {} {}: its log was cut at {} (--log-limit): {}", plan_.targets[target].name,
                     starts_[target], format_bytes(log_limit_), log_));
}

void CommandServers::fail(std::uint32_t target, const std::string& what) {
  const std::string lines = process_->last_lines(kLastLines);
  throw EnvironmentError(
      fmt::format("the {}'s server {}", plan_.targets[target].name, what),
      lines.empty() ? fmt::format("It wrote nothing; its command was: {}", mask_command(commands_[target]))
                    : fmt::format("The end of {}{}:\n{}", log_,
                                  process_->log_cut() ? ", which was cut (--log-limit)" : "", lines));
}

}  // namespace infermeter
