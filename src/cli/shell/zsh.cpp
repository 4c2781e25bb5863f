#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/shell/completions.hpp"

namespace infermeter {
namespace {

/// Text in the brackets of an `_arguments` specification, or between its colons.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action(const Completion& completion) {
  switch (completion.kind) {
    case Completion::Kind::words: {
      std::vector<std::string> words;
      for (const auto& word : completion.words) words.push_back(escaped(word));
      return fmt::format("({})", fmt::join(words, " "));
    }
    case Completion::Kind::files:
      return "_files";
    case Completion::Kind::folders:
      return "_files -/";
    case Completion::Kind::none:
      break;
  }
  return " ";
}

std::string argument_of(std::string_view command, const OptionSpec& spec) {
  if (is_switch(spec.takes)) return {};
  const std::string_view colon = spec.takes == Takes::optional_value ? "::" : ":";
  return fmt::format("{}{}:{}", colon, escaped(spec.argument), action(completion_of(command, spec)));
}

std::string specification(std::string_view command, const OptionSpec& spec) {
  const Completion completion = completion_of(command, spec);
  if (is_positional(spec.takes)) {
    const std::string_view several = spec.takes == Takes::arguments ? "*" : "";
    return single_quoted(fmt::format("{}:{}:{}", several, escaped(spec.argument), action(completion)));
  }
  const std::string help = fmt::format("[{}]{}", escaped(spec.help), argument_of(command, spec));
  const bool again = adds_up(spec.takes);
  // --name=value and -nvalue are taken too.
  const bool takes = !is_switch(spec.takes);
  const std::string name = fmt::format("--{}{}", spec.name, takes ? "=" : "");
  if (spec.letter == 0) return single_quoted(fmt::format("{}{}{}", again ? "*" : "", name, help));
  const std::string letter = fmt::format("-{}{}", spec.letter, takes ? "+" : "");
  const std::string before = again ? "*" : fmt::format("(-{} --{})", spec.letter, spec.name);
  return fmt::format("{}{{{},{}}}{}", single_quoted(before), letter, name, single_quoted(help));
}

std::string command_case(const CommandSpec& command) {
  std::string out = fmt::format("    {})\n      _arguments -s -S", command.name);
  for (const auto& spec : command.options()) out += " \\\n        " + specification(command.name, spec);
  return out + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion() {
  std::string out =
      "#compdef infermeter\n"
      "# zsh completion of infermeter, made by `infermeter completions zsh`\n"
      "_infermeter() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(";
  std::string names;
  for (const auto& command : commands()) {
    out += "\n      " + single_quoted(fmt::format("{}:{}", command.name, command.summary));
    names += fmt::format("{} ", command.name);
  }
  out += "\n      'help:the help of a command'";
  out +=
      ")\n"
      "    _describe -t commands command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  out += fmt::format("    help)\n      _arguments ':COMMAND:({})'\n      ;;\n", names);
  for (const auto& command : commands()) out += command_case(command);
  // The file may be sourced, or be the body of a function that is loaded at the first use.
  return out +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _infermeter ]]; then\n"
         "  _infermeter \"$@\"\n"
         "else\n"
         "  compdef _infermeter infermeter\n"
         "fi\n";
}

}  // namespace infermeter
