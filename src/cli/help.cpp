#include "cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/options/option_table.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/http/server.hpp"

namespace infermeter {
namespace {

using NamedLines = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kTitle =
    "infermeter measures LLM servers: TTFT, ITL, throughput, stamped by the kernel.\n";

constexpr std::string_view kProgramEnd =
    R"(
infermeter COMMAND --help lists the options; --version prints the version.
Exit codes: 0 ok, 1 gate failed, 2 usage, 3 environment, 4 not to be trusted,
5 inconclusive, 130 interrupted.
)";

constexpr std::size_t kUsages = 19;  // width of the column of commands
constexpr std::size_t kNames = 28;   // width of the column of names
constexpr std::size_t kTerminal = 80;

/// Options without a letter are indented like those with one.
std::string listed_usage(const OptionSpec& spec) {
  const bool indented = spec.letter == 0 && !is_positional(spec.takes);
  return (indented ? "    " : "") + usage_of(spec);
}

/// The column of names: at least kNames wide, two spaces wider than the longest name.
std::size_t width_of_names(std::span<const OptionSpec> specs) {
  std::size_t width = kNames;
  for (const auto& spec : specs) width = std::max(width, listed_usage(spec).size() + 2);
  return width;
}

std::string listed_row(const OptionSpec& spec, std::size_t width) {
  const std::string_view text = default_of(spec);
  return fmt::format("  {:<{}}{}{}\n", listed_usage(spec), width, spec.help,
                     text.empty() ? "" : fmt::format(" [{}]", text));
}

std::string options_text(std::span<const OptionSpec> specs) {
  const std::size_t width = width_of_names(specs);
  std::string out, group;
  for (const auto& spec : specs) {
    if (spec.group != group) out += fmt::format("\n{}\n", spec.group);
    group = spec.group;
    out += listed_row(spec, width);
  }
  return out;
}

/// Indents each line by two more spaces.
std::string indented(std::string_view lines) {
  std::string out = "  ";
  for (const char c : lines) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out + "\n";
}

std::string list_text(std::string_view title, const NamedLines& lines) {
  std::string out = fmt::format("{}\n", title);
  for (const auto& [name, line] : lines)
    out += fmt::format("  {:<{}}{}\n", name, kNames, hanging(line, 2 + kNames));
  return out;
}

/// The groups of its options, in lower case.
std::vector<std::string> groups_of(const CommandSpec& command) {
  std::vector<std::string> groups;
  for (const auto& spec : command.options()) {
    const std::string group = lower_case(spec.group);
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

std::string groups_text(const CommandSpec& command) {
  const std::string text =
      fmt::format("--help all lists all, --help GROUP those of {}.", fmt::join(groups_of(command), ", "));
  return hanging(text, 0) + "\n";
}

/// One screen of 24 lines with the shell's next prompt, so without a blank line.
std::string essentials_page(const CommandSpec& command) {
  std::string out =
      fmt::format("infermeter {} {} [OPTIONS], as in: infermeter run http://localhost:8000 -c 8\n",
                  command.name, command.arguments);
  for (const auto name : command.essentials())
    out += listed_row(*find_option(command.options(), name)->spec, kNames);
  return out + groups_text(command);
}

std::string whole_page(const CommandSpec& command, std::span<const OptionSpec> options) {
  return fmt::format("infermeter {} {} [OPTIONS]\n{}\n{}{}{}\nExit codes: {}.\n", command.name,
                     command.arguments, command.about, indented(command.examples), options_text(options),
                     command.more ? "\n" + command.more() : "", command.exit_codes);
}

[[noreturn]] void refuse_topic(const CommandSpec& command, const std::string& topic) {
  const auto groups = groups_of(command);
  const auto nearest = nearest_name(topic, groups);
  throw UsageError(fmt::format("--help: '{}' is neither a group nor an option{}", topic,
                               nearest ? fmt::format("; did you mean {}?", *nearest) : ""),
                   fmt::format("infermeter {} --help all lists every option.", command.name));
}

}  // namespace

std::string hanging(std::string_view text, std::size_t indent) {
  std::string out;
  while (indent + text.size() > kTerminal) {
    const std::size_t end = text.rfind(' ', kTerminal - indent);
    if (end == std::string_view::npos) break;
    out += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(end + 1);
  }
  return out.append(text);
}

std::string program_help() {
  std::string list = "Commands\n";
  for (const auto& command : commands()) {
    const std::string usage = fmt::format("{} {}", command.name, command.arguments);
    list += fmt::format("  {:<{}}{}\n", usage, kUsages, command.summary);
  }
  return fmt::format("{}\n{}\n{}{}", kTitle, indented(commands().front().examples), list, kProgramEnd);
}

std::string usage_of(const OptionSpec& spec) {
  if (is_positional(spec.takes)) return std::string(spec.argument);
  const std::string letter = spec.letter != 0 ? fmt::format("-{}, ", spec.letter) : "";
  return fmt::format("{}--{}{}{}", letter, spec.name, spec.argument.empty() ? "" : " ", spec.argument);
}

std::string_view default_of(const OptionSpec& spec) {
  return spec.fallback.empty() ? spec.otherwise : spec.fallback;
}

std::string command_help(const CommandSpec& command, std::string_view topic) {
  const std::string asked = lower_case(topic);
  const bool short_page = asked.empty() && command.essentials != nullptr;
  if (short_page) return essentials_page(command);
  if (asked.empty()) return whole_page(command, command.listed());
  if (asked == "all") return whole_page(command, command.options());
  std::vector<OptionSpec> chosen;
  for (const auto& spec : command.options()) {
    if (lower_case(spec.group) == asked) chosen.push_back(spec);
  }
  if (!chosen.empty()) return options_text(chosen).substr(1);
  while (topic.starts_with('-')) topic.remove_prefix(1);
  if (const auto option = find_option(command.options(), topic)) return listed_row(*option->spec, kNames);
  refuse_topic(command, asked);
}

std::string simulator_lists() {
  return list_text("Presets", sim::preset_list()) + "\n" +
         list_text("Faults (KIND of --fault)", sim::fault_list());
}

}  // namespace infermeter
