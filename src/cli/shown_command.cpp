#include "shown_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "infermeter/model/target_url.hpp"

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

std::string masked(std::string_view option, std::string_view text) {
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

std::string shown_command(std::string_view command, std::span<const OptionSpec> specs,
                          const std::vector<Given>& typed) {
  std::string out = fmt::format("infermeter {}", command);
  for (const auto& given : typed) {
    const auto spec = std::ranges::find(specs, given.option, &OptionSpec::name);
    out += " " + shown_option(*spec, given.texts.back());
  }
  return out;
}

}  // namespace infermeter
