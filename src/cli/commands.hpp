// The commands, each listed once: main, help, "did you mean" and the documentation test read this list.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

using Action = std::function<ExitCode()>;

struct CommandSpec {
  std::string_view name;
  std::string_view arguments;   // in the list of commands: "[URL]"
  std::string_view summary;     // its line in that list
  std::string_view exit_codes;  // as in docs/exit-codes.md
  std::string_view examples;    // one per line
  std::span<const OptionSpec> (*options)();
  std::span<const OptionSpec> (*listed)();  // the subset that its help lists
  /// Checks the arguments. Throws UsageError for anything wrong, and starts nothing: the returned action
  /// does.
  Action (*parse)(const Invocation&);
  std::string_view about;  // what it does, printed below the first line of its help
  std::string (*more)();   // printed below the options; null: nothing
};

std::span<const CommandSpec> commands();

/// The meaning of a command line: a text to print (help, version), or an action.
struct CommandLine {
  std::string text;
  Action action;  // empty: only prints the text
};

/// `words` without the program's name. Throws UsageError.
CommandLine parse_command_line(const std::vector<std::string>& words, const Variables& variables,
                               const Surroundings& here);

/// Help pages, built from this list and the option tables (help.cpp). At most 80 columns.
std::string program_help();
std::string command_help(const CommandSpec& command);

/// Presets and faults of the simulator, for its help page.
std::string simulator_lists();

}  // namespace infermeter
