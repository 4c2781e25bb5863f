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
  /// The options of its first page; null: that lists them all.
  std::span<const std::string_view> (*essentials)() = nullptr;
  bool takes_line = false;  // its words are those of another program: its options do not apply to them
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
/// `topic`: empty for the first page, "all", a group such as "load", or an option. Throws UsageError for
/// another one.
std::string command_help(const CommandSpec& command, std::string_view topic = {});
/// Wraps a text that begins at column `indent` at spaces, so that it fits 80 columns.
std::string hanging(std::string_view text, std::size_t indent);
/// "-c, --concurrency N".
std::string usage_of(const OptionSpec& spec);
/// The default as help shows it; empty: there is none.
std::string_view default_of(const OptionSpec& spec);

/// Where to read on after a mistake in this command line: "infermeter run --help lists the options."
std::string help_hint(const std::vector<std::string>& words);

/// Presets and faults of the simulator, for its help page.
std::string simulator_lists();

}  // namespace infermeter
