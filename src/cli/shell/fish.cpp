#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/shell/completions.hpp"

namespace infermeter {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// What follows an option or stands as an argument: `-x` is a value that is no file, `-r -F` a file.
std::string value_of(const Completion& completion, bool argument) {
  switch (completion.kind) {
    case Completion::Kind::words:
      return fmt::format(" {}-a {}", argument ? "" : "-x ",
                         fish_quoted(fmt::format("{}", fmt::join(completion.words, " "))));
    case Completion::Kind::files:
      return argument ? " -F" : " -r -F";
    case Completion::Kind::folders:
      return fmt::format(" {}-a '(__fish_complete_directories)'", argument ? "" : "-x ");
    case Completion::Kind::none:
      break;
  }
  return argument ? "" : " -x";
}

std::string line_of(const CommandSpec& command, const OptionSpec& spec) {
  const Completion completion = completion_of(command.name, spec);
  const std::string begin =
      fmt::format("complete -c infermeter -n '__fish_seen_subcommand_from {}'", command.name);
  if (is_positional(spec.takes)) {
    const std::string value = value_of(completion, true);
    return value.empty() ? value : begin + value + "\n";
  }
  std::string out = begin + fmt::format(" -l {}", spec.name);
  if (spec.letter != 0) out += fmt::format(" -s {}", spec.letter);
  const bool needs_value = !is_switch(spec.takes) && spec.takes != Takes::optional_value;
  if (needs_value) out += value_of(completion, false);
  return out + fmt::format(" -d {}\n", fish_quoted(spec.help));
}

}  // namespace

std::string fish_completion() {
  std::string out =
      "# fish completion of infermeter, made by `infermeter completions fish`\n"
      "complete -c infermeter -f\n";
  std::string names;
  for (const auto& command : commands()) {
    out += fmt::format("complete -c infermeter -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_quoted(command.summary));
    names += fmt::format("{} ", command.name);
  }
  out += fmt::format(
      "complete -c infermeter -n __fish_use_subcommand -a help -d 'the help of a command'\n"
      "complete -c infermeter -n '__fish_seen_subcommand_from help' -a {}\n",
      fish_quoted(names));
  for (const auto& command : commands()) {
    for (const auto& spec : command.options()) out += line_of(command, spec);
  }
  return out;
}

}  // namespace infermeter
