#include "cli/shell/completions.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.hpp"
#include "cli/embedded_files.hpp"
#include "cli/output.hpp"
#include "infermeter/model/endpoint.hpp"
#include "infermeter/report/formats.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/http/server.hpp"

namespace infermeter {
namespace {

using Words = std::vector<std::string>;

template <typename Rows, typename Name>
Words names_of(const Rows& rows, Name name) {
  Words names;
  for (const auto& row : rows) names.emplace_back(std::invoke(name, row));
  return names;
}

/// Presets and faults may have a form with values: only what stands before it is a word.
Words plain_names(const std::vector<std::pair<std::string, std::string>>& lines) {
  Words names;
  for (const auto& [name, help] : lines) {
    if (name.find_first_of("=: …") == std::string::npos) names.push_back(name);
  }
  return names;
}

Words formats_that(bool (*can)(const FormatSpec&)) {
  Words names;
  for (const auto& format : formats()) {
    if (can(format)) names.emplace_back(format.name);
  }
  return names;
}

struct Choice {
  std::string_view option;
  std::array<std::string_view, 5> words;
};
/// Words of options that take no other ones, or whose others have no end.
constexpr Choice kChoices[] = {
    {"arrival", {"constant", "poisson", "trace"}},
    {"on-cap", {"wait", "drop"}},
    {"on-rate-limit", {"count", "wait", "stop"}},
    {"on-inconclusive", {"exit5", "fail", "pass"}},
    {"progress", {"auto", "bar", "plain", "json", "none"}},
    {"reasoning-effort", {"low", "medium", "high"}},
    {"thinking", {"on", "off"}},
    {"timestamps", {"kernel", "user"}},
    {"shell", {"bash", "zsh", "fish"}},
};

Words words_of(std::string_view command, const OptionSpec& spec) {
  const std::string_view name = spec.name;
  if (name == "format") return formats_that(command == "compare" ? can_compare : can_show_run);
  if (name == "endpoint") return names_of(kEndpoints, &EndpointRow::name);
  if (name == "scenario" || (command == "scenarios" && name == "name"))
    return names_of(scenario_files(), &EmbeddedFile::name);
  if (name == "vendor") return names_of(vendor_files(), &EmbeddedFile::name);
  if (name == "sim" || name == "preset") return plain_names(sim::preset_list());
  if (name == "fault") return plain_names(sim::fault_list());
  if (command == "man" && name == "command") return names_of(commands(), &CommandSpec::name);
  Words words;
  if (name == "help") {
    words = {"all"};
    for (const auto& one : run_options()) {
      const std::string group = lower_case(one.group);
      if (std::ranges::find(words, group) == words.end()) words.push_back(group);
    }
  }
  const auto choice = std::ranges::find(kChoices, name, &Choice::option);
  if (choice == std::end(kChoices)) return words;
  for (const auto word : choice->words) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

}  // namespace

Completion completion_of(std::string_view command, const OptionSpec& spec) {
  using enum Completion::Kind;
  if (Words words = words_of(command, spec); !words.empty())
    return {Completion::Kind::words, std::move(words)};
  if (spec.argument == "DIR") return {folders, {}};
  const std::array<std::string_view, 5> of_files{"F", "FILE", "F|JSON", "W", "RESULT"};
  return {std::ranges::find(of_files, spec.argument) == of_files.end() ? none : files, {}};
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Shell completions_request(const Invocation& invocation) {
  const Values values = invocation.values();
  if (!values.given("shell"))
    throw UsageError("completions: no shell given", std::string(invocation.examples));
  return static_cast<Shell>(values.choice("shell", kShells));
}

std::string completions_text(Shell shell) {
  if (shell == Shell::bash) return bash_completion();
  return shell == Shell::zsh ? zsh_completion() : fish_completion();
}

ExitCode completions_command(Shell shell) {
  put_out(completions_text(shell));
  return ExitCode::ok;
}

}  // namespace infermeter
