#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "base/entropy.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/memory.hpp"

namespace infermeter {
namespace {

Variables variables_of(char** environment) {
  Variables variables;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = std::min(entry.find('='), entry.size());
    variables.emplace(entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size())));
  }
  return variables;
}

Surroundings surroundings() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.entropy = system_entropy(),
          .now_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

/// The message on one line, each line of advice indented below it.
void print_error(std::string_view message, std::string_view advice) {
  print_line(fmt::format("infermeter: {}", message));
  while (!advice.empty()) {
    const std::size_t end = std::min(advice.find('\n'), advice.size());
    print_line(fmt::format("  {}", advice.substr(0, end)));
    advice.remove_prefix(std::min(end + 1, advice.size()));
  }
}

/// A mistake in a command line is answered with the page of help that shows how it is written.
std::string advice_for(const Error& error, const std::vector<std::string>& words) {
  std::string advice = error.advice();
  if (error.code() != ExitCode::usage || advice.find("--help") != std::string::npos) return advice;
  if (!advice.empty() && !advice.ends_with('\n')) advice += '\n';
  return advice + help_hint(words);
}

ExitCode run_main(const std::vector<std::string>& words) {
  try {
    const CommandLine line = parse_command_line(words, variables_of(environ), surroundings());
    if (line.action) return line.action();
    put_out(line.text);
    return ExitCode::ok;
  } catch (const Error& error) {
    print_error(error.what(), advice_for(error, words));
    return error.code();
  } catch (const std::exception& error) {
    print_error(failure_words(error), {});
    return ExitCode::environment;
  }
}

/// A file that is opened later must not become the standard output: a closed one is held by a descriptor that
/// cannot be used as such.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened > fd) close(opened);
  }
}

}  // namespace
}  // namespace infermeter

int main(int argc, char** argv) {
  infermeter::hold_standard_descriptors();
  signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f` a write fails, and is an error like that of a full disk
  infermeter::keep_memory_back();
  return static_cast<int>(infermeter::run_main(std::vector<std::string>(argv + 1, argv + argc)));
}
