#include "run/gate/command_servers.hpp"

#include <fmt/format.h>

#include <chrono>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/resolve.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLastLines = 12;

}  // namespace

CommandServers::CommandServers(const std::array<std::string, 2>& commands, const Plan& plan,
                               std::string directory, const std::atomic<bool>& interrupt, const Say& say)
    : commands_(commands),
      plan_(plan),
      directory_(std::move(directory)),
      interrupt_(interrupt),
      say_(say),
      watcher_([this](const std::stop_token& end) { watch(end); }) {}

CommandServers::~CommandServers() = default;

// The user's interrupt is passed on; a server that dies before it is ready ends the wait for it.
void CommandServers::watch(const std::stop_token& end) {
  while (!end.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      if (starting_ && process_ && !process_->running()) died_ = true;
      if (interrupt_ || died_) stop_ = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Another server at that address would be mistaken for the one being started.
void CommandServers::refuse_taken_port(const Target& target) const {
  const TargetUrl url = resolve_target_url(target.url);
  const Instant give_up = now() + 5s;  // the previous server may still be closing its socket
  while (takes_connections(url.host, url.port)) {
    if (now() > give_up)
      throw EnvironmentError(
          fmt::format("a server is already listening at {}:{}, before the {}'s command was run", url.host,
                      url.port, target.name),
          "Stop it, or say where the command's own server listens: --baseline-url, --candidate-url.");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void CommandServers::up(std::uint32_t target, const std::function<void()>& look) {
  const Target& asked = plan_.targets[target];
  refuse_taken_port(asked);
  log_ = fmt::format("{}/{}-{}.log", directory_, asked.name, ++starts_[target]);
  say_(fmt::format(" {} {}: starting", asked.name, starts_[target]));
  const Instant begun = now();
  {
    const std::lock_guard lock(mutex_);
    process_.emplace(commands_[target], log_);
    starting_ = true;
  }
  try {
    look();
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    if (interrupt_) {
      process_.reset();
      throw Error(ExitCode::interrupted, "interrupted");
    }
    if (died_) fail(target, fmt::format("ended before it was ready ({})", process_->how_it_ended()));
    const bool late = now() - begun >= plan_.wait_ready;
    fail(target, fmt::format("{}: {}",
                             late ? "was not ready within " + format_duration(plan_.wait_ready)
                                  : "cannot be measured",
                             error.what()));
  }
  const std::lock_guard lock(mutex_);
  starting_ = false;
  if (!process_->running())
    fail(target, fmt::format("ended as soon as it was ready ({})", process_->how_it_ended()));
  say_(fmt::format(" {} {}: ready after {}", asked.name, starts_[target], format_duration(now() - begun)));
}

void CommandServers::down(std::uint32_t target) {
  const std::lock_guard lock(mutex_);
  if (!interrupt_ && !process_->running())
    fail(target, fmt::format("ended while it was measured ({})", process_->how_it_ended()));
  if (interrupt_)
    say_(fmt::format(" waiting for the {}'s server to end; Ctrl-C again kills it",
                     plan_.targets[target].name));
  process_.reset();
}

void CommandServers::fail(std::uint32_t target, const std::string& what) {
  const std::string lines = process_->last_lines(kLastLines);
  throw EnvironmentError(fmt::format("the {}'s server {}", plan_.targets[target].name, what),
                         lines.empty()
                             ? fmt::format("It wrote nothing; its command was: {}", commands_[target])
                             : fmt::format("The end of {}:\n{}", log_, lines));
}

}  // namespace infermeter
