// `infermeter completions SHELL`: a shell's completion of every command, made from the option table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/option_table.hpp"

namespace infermeter {

enum class Shell { bash, zsh, fish };

/// Throws UsageError for a missing or an unknown shell.
Shell completions_request(const Invocation& invocation);
std::string completions_text(Shell shell);
ExitCode completions_command(Shell shell);

/// What stands behind an option, or as an argument.
struct Completion {
  enum class Kind { none, words, files, folders };
  Kind kind = Kind::none;
  std::vector<std::string> words;  // each one is a value that the option takes
};
Completion completion_of(std::string_view command, const OptionSpec& spec);

// One for each shell.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// In single quotes, for bash and zsh.
std::string single_quoted(std::string_view text);

}  // namespace infermeter
