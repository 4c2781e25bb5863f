#include "cli/shell/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/output.hpp"

namespace infermeter {
namespace {

/// Not every output device of groff has these.
constexpr std::pair<std::string_view, std::string_view> kPlain[] = {
    {"…", "..."}, {"√", "sqrt "}, {"×", "x"}, {"≥", ">="}, {"≤", "<="}, {"→", "->"}, {"–", "-"}, {"’", "'"}};

std::string in_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto plain =
        std::ranges::find_if(kPlain, [&](const auto& row) { return text.starts_with(row.first); });
    if (plain != std::end(kPlain)) {
      out += plain->second;
      text.remove_prefix(plain->first.size());
      continue;
    }
    if ((text[0] & 0x80) == 0) out += text[0];
    text.remove_prefix(1);
  }
  return out;
}

/// A line of text: no character of it is an order to roff.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : in_ascii(text)) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

/// Lines as they are, in a typewriter's letters.
std::string literally(std::string_view lines) {
  std::string out = ".PP\n.nf\n";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) out += roff(lines.substr(0, end)) + "\n";
    if (end == 0) out += ".PP\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out + ".fi\n";
}

std::string heading(std::string_view page) {
  std::string capital(page);
  std::ranges::transform(capital, capital.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".TH {} 1 \"\" \"infermeter {}\" \"User Commands\"\n", roff(capital),
                     INFERMETER_VERSION);
}

std::string option_text(const OptionSpec& spec) {
  const std::string_view value = default_of(spec);
  return fmt::format(".TP\n.B {}\n{}{}\n", roff(usage_of(spec)), roff(spec.help),
                     value.empty() ? "" : roff(fmt::format(" [{}]", value)));
}

std::string options_text(const CommandSpec& command) {
  std::string out = ".SH OPTIONS\n", group;
  for (const auto& spec : command.options()) {
    if (spec.group != group) out += fmt::format(".SS {}\n", roff(spec.group));
    group = spec.group;
    out += option_text(spec);
  }
  return out;
}

std::string see_also() {
  std::string out = ".SH SEE ALSO\n";
  for (const auto& command : commands()) out += fmt::format(".BR infermeter\\-{} (1),\n", command.name);
  return out + ".BR infermeter (1)\n";
}

std::string command_page(const CommandSpec& command) {
  return heading(fmt::format("infermeter-{}", command.name)) +
         fmt::format(".SH NAME\ninfermeter\\-{} \\- {}\n", command.name, roff(command.summary)) +
         fmt::format(".SH SYNOPSIS\n.B infermeter {}\n{} [OPTIONS]\n", command.name,
                     roff(command.arguments)) +
         ".SH DESCRIPTION" + literally(command.about).substr(3) + options_text(command) + ".SH EXAMPLES" +
         literally(command.examples).substr(3) +
         (command.more ? ".SH NOTES" + literally(command.more()).substr(3) : "") +
         fmt::format(".SH EXIT STATUS\n{}.\n", roff(command.exit_codes)) + see_also();
}

std::string program_page() {
  std::string out = heading("infermeter") + ".SH NAME\ninfermeter \\- benchmark of LLM inference servers\n" +
                    ".SH SYNOPSIS\n.B infermeter\nCOMMAND [OPTIONS]\n.SH COMMANDS\n";
  for (const auto& command : commands())
    out += fmt::format(".TP\n.B {} {}\n{}\n", command.name, roff(command.arguments), roff(command.summary));
  return out + ".SH EXAMPLES" + literally(commands().front().examples).substr(3) + see_also();
}

}  // namespace

ManRequest man_request(const Invocation& invocation) {
  const Values values = invocation.values();
  std::vector<std::string_view> names;
  for (const auto& command : commands()) names.push_back(command.name);
  if (values.given("command")) static_cast<void>(values.choice("command", names));
  return {values.text("command"), values.text("out")};
}

std::string manual_text(const std::string& command) {
  const auto it = std::ranges::find(commands(), command, &CommandSpec::name);
  return it == commands().end() ? program_page() : command_page(*it);
}

ExitCode man_command(const ManRequest& request) {
  if (request.out.empty()) {
    put_out(manual_text(request.command));
    return ExitCode::ok;
  }
  std::error_code ignored;  // the first page says that there is no folder
  std::filesystem::create_directories(request.out, ignored);
  put_out(manual_text(""), request.out + "/infermeter.1");
  for (const auto& command : commands()) {
    const std::string name(command.name);
    put_out(manual_text(name), fmt::format("{}/infermeter-{}.1", request.out, name));
  }
  return ExitCode::ok;
}

}  // namespace infermeter
