#include "cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// "-c, --concurrency N"; options without a letter are indented like those with one.
std::string usage_of(const OptionSpec& spec) {
  if (is_positional(spec.takes)) return fmt::format("{}", spec.argument);
  const std::string letter = spec.letter != 0 ? fmt::format("-{}, ", spec.letter) : "    ";
  const std::string_view space = spec.argument.empty() ? "" : " ";
  return fmt::format("{}--{}{}{}", letter, spec.name, space, spec.argument);
}

std::string default_of(const OptionSpec& spec) {
  const std::string_view text = spec.fallback.empty() ? spec.otherwise : spec.fallback;
  return text.empty() ? "" : fmt::format(" [{}]", text);
}

/// The column of names: at least kNames wide, two spaces wider than the longest name.
std::size_t width_of_names(std::span<const OptionSpec> specs) {
  std::size_t width = kNames;
  for (const auto& spec : specs) width = std::max(width, usage_of(spec).size() + 2);
  return width;
}

std::string options_text(std::span<const OptionSpec> specs) {
  const std::size_t width = width_of_names(specs);
  std::string out, group;
  for (const auto& spec : specs) {
    if (spec.group != group) out += fmt::format("\n{}\n", spec.group);
    group = spec.group;
    out += fmt::format("  {:<{}}{}{}\n", usage_of(spec), width, spec.help, default_of(spec));
  }
  return out;
}

/// Wraps a text that begins at column `indent` at spaces, so that it fits a terminal.
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

}  // namespace

std::string program_help() {
  std::string list = "Commands\n";
  for (const auto& command : commands()) {
    const std::string usage = fmt::format("{} {}", command.name, command.arguments);
    list += fmt::format("  {:<{}}{}\n", usage, kUsages, command.summary);
  }
  return fmt::format("{}\n{}\n{}{}", kTitle, indented(commands().front().examples), list, kProgramEnd);
}

std::string command_help(const CommandSpec& command) {
  return fmt::format("infermeter {} {} [OPTIONS]\n{}\n{}{}{}\nExit codes: {}.\n", command.name,
                     command.arguments, command.about, indented(command.examples),
                     options_text(command.listed()), command.more ? "\n" + command.more() : "",
                     command.exit_codes);
}

std::string simulator_lists() {
  return list_text("Presets", sim::preset_list()) + "\n" +
         list_text("Faults (KIND of --fault)", sim::fault_list());
}

}  // namespace infermeter
