#include "cli/options/shown_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "model/target_url.hpp"

namespace infermeter {
namespace {

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kPlain = "-_./:=,@%+";
  const bool plain = !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The user's command with the text after `--api-key`, `HF_TOKEN=` and similar masked.
std::string without_secrets(std::string_view command) {
  constexpr std::array<std::string_view, 5> kTelling{"key", "token", "secret", "password", "bearer"};
  std::string out;
  bool secret = false;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find(' '), command.size());
    const std::string_view word = command.substr(0, end);
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool telling = std::ranges::any_of(kTelling, [&](auto name) {
      return lower.substr(0, lower.find('=')).find(name) != std::string::npos;
    });
    const std::size_t equals = word.find('=');
    out += out.empty() ? "" : " ";
    if (secret)
      out += "****";
    else
      out += telling && equals != std::string_view::npos ? fmt::format("{}=****", word.substr(0, equals))
                                                         : std::string(word);
    secret = telling && equals == std::string_view::npos;
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return out;
}

std::string masked(std::string_view option, std::string_view text) {
  if (option.ends_with("-cmd")) return without_secrets(text);
  if (option.ends_with("-url")) return mask_url(text);
  if (option == "header") return fmt::format("{}: ****", text.substr(0, text.find(':')));
  if (option == "url" || option == "proxy") return mask_url(text);
  return std::string(text);
}

std::string shown_option(const OptionSpec& spec, const std::string& text) {
  const std::string value = shell_quoted(masked(spec.name, text));
  if (is_positional(spec.takes)) return value;
  if (spec.takes == Takes::flag) return fmt::format("--{}{}", spec.name, text == "true" ? "" : "=false");
  if (spec.takes == Takes::optional_value && text.empty()) return fmt::format("--{}", spec.name);
  return fmt::format("--{} {}", spec.name, value);
}

}  // namespace

std::string shown_command(const Invocation& invocation) {
  std::string out = fmt::format("infermeter {}", invocation.command);
  for (const auto& given : invocation.typed) {
    const auto spec = std::ranges::find(invocation.options, given.option, &OptionSpec::name);
    out += " " + shown_option(*spec, given.texts.back());
  }
  return out;
}

}  // namespace infermeter
