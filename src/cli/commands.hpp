// The commands, each listed once: main, help, "did you mean" and the test of the documentation read this
// list.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/invocation.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

using Action = std::function<ExitCode()>;

struct CommandSpec {
  std::string_view name;
  std::string_view arguments;   // as the list of commands shows them: "[URL]"
  std::string_view summary;     // one line of that list
  std::string_view exit_codes;  // as docs/exit-codes.md has them
  std::string_view examples;    // one a line
  std::span<const OptionSpec> (*options)();
  std::span<const OptionSpec> (*listed)();  // those of them that its help lists
  /// Judges what was typed. Throws UsageError for anything wrong, and starts nothing: that does the action.
  Action (*parse)(const Invocation&);
  std::string_view about;  // what it does, below the first line of its help
  std::string (*more)();   // below the options; null: nothing
};

std::span<const CommandSpec> commands();

/// What a command line asks for: a text to print (help, version), or something to do.
struct CommandLine {
  std::string text;
  Action action;  // empty: only the text
};

/// `words` without the program's name. Throws UsageError.
CommandLine parse_command_line(const std::vector<std::string>& words, const Variables& variables,
                               const Surroundings& here);

}  // namespace infermeter
