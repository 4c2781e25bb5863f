#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "io/host/client_limit.hpp"

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
  std::random_device device;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.entropy = (std::uint64_t{device()} << 32) | device(),
          .now_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

/// The message on one line, each line of advice indented below it.
void print_error(std::string_view message, std::string_view advice) {
  write_error_output(fmt::format("infermeter: {}\n", message));
  while (!advice.empty()) {
    const std::size_t end = std::min(advice.find('\n'), advice.size());
    write_error_output(fmt::format("  {}\n", advice.substr(0, end)));
    advice.remove_prefix(std::min(end + 1, advice.size()));
  }
}

ExitCode run_main(const std::vector<std::string>& words) {
  try {
    const CommandLine line = parse_command_line(words, variables_of(environ), surroundings());
    if (line.action) return line.action();
    fmt::print("{}", line.text);
    return ExitCode::ok;
  } catch (const Error& error) {
    print_error(error.what(), error.advice());
    return error.code();
  } catch (const std::exception& error) {
    print_error(failure_words(error), {});
    return ExitCode::environment;
  }
}

}  // namespace
}  // namespace infermeter

int main(int argc, char** argv) {
  return static_cast<int>(infermeter::run_main(std::vector<std::string>(argv + 1, argv + argc)));
}
