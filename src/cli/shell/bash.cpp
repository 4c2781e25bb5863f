#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/shell/completions.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kHead = R"(# bash completion of infermeter, made by `infermeter completions bash`
_infermeter() {
  local current=${COMP_WORDS[COMP_CWORD]} before= option=
  COMPREPLY=()
  ((COMP_CWORD > 1)) && before=${COMP_WORDS[COMP_CWORD - 1]}
  # bash takes --name=value apart at the "="
  if [[ $current == '=' ]]; then
    current= option=$before
  elif [[ $before == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $before == -* ]]; then
    option=$before
  fi
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '@commands@' -- "$current")
    return
  fi
  case ${COMP_WORDS[1]},$option in
)";

constexpr std::string_view kTail = R"(  esac
}
complete -F _infermeter infermeter
)";

/// The commands of a shell that complete the word at the cursor.
std::string answer(const Completion& completion) {
  switch (completion.kind) {
    case Completion::Kind::words:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W {} -- \"$current\")",
                         single_quoted(fmt::format("{}", fmt::join(completion.words, " "))));
    case Completion::Kind::files:
      return "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); compopt -o filenames 2>/dev/null";
    case Completion::Kind::folders:
      return "mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); compopt -o filenames 2>/dev/null";
    case Completion::Kind::none:
      break;
  }
  return ":";
}

std::string value_cases(const CommandSpec& command) {
  std::string out;
  for (const auto& spec : command.options()) {
    if (is_switch(spec.takes) || is_positional(spec.takes)) continue;
    std::string pattern = fmt::format("{},--{}", command.name, spec.name);
    if (spec.letter != 0) pattern += fmt::format(" | {},-{}", command.name, spec.letter);
    // Behind an option that needs no value another option may stand.
    const std::string_view guard = spec.takes == Takes::optional_value ? "[[ $current == -* ]] || " : "";
    out += fmt::format("    {})\n      {}{{ {}; return; }}\n", pattern, guard,
                       answer(completion_of(command.name, spec)));
    out += spec.takes == Takes::optional_value ? "      ;;&\n" : "      ;;\n";
  }
  return out;
}

std::string word_case(const CommandSpec& command) {
  std::string names;
  Completion argument;
  for (const auto& spec : command.options()) {
    if (is_positional(spec.takes))
      argument = completion_of(command.name, spec);
    else
      names += fmt::format("{}--{}", names.empty() ? "" : " ", spec.name);
  }
  return fmt::format(
      "    {},*)\n      if [[ $current == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W '{}' -- "
      "\"$current\")\n      else\n        {}\n      fi\n      ;;\n",
      command.name, names, answer(argument));
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string_view> names;
  for (const auto& command : commands()) names.push_back(command.name);
  std::string out(kHead);
  constexpr std::string_view kHole = "@commands@";
  out.replace(out.find(kHole), kHole.size(), fmt::format("{} help --help --version", fmt::join(names, " ")));
  const Completion all{Completion::Kind::words, {names.begin(), names.end()}};
  out += fmt::format("    help,*)\n      {}\n      ;;\n", answer(all));
  for (const auto& command : commands()) out += value_cases(command);
  for (const auto& command : commands()) out += word_case(command);
  return out.append(kTail);
}

}  // namespace infermeter
