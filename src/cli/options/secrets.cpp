#include "cli/options/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/shell_text.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "model/secrets/secret_values.hpp"
#include "model/secrets/shell_secrets.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

Header header_of(const std::string& origin, const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  const std::string value{trim(std::string_view(text).substr(std::min(colon + 1, text.size())))};
  if (!is_header_name(name) || value.empty())
    throw UsageError(fmt::format("{}: one header is not of the form 'Name: value'", origin));
  if (std::ranges::any_of(value, is_control))
    throw UsageError(
        fmt::format("{}: the value of {} holds a line break or a control character", origin, name));
  if (equals_ignoring_case(name, "content-length") || equals_ignoring_case(name, "transfer-encoding"))
    throw UsageError(fmt::format("{}: {} follows from the body and cannot be set", origin, name));
  return {name, value};
}

/// Nearly all variable names have this form: anything else may be the key itself, and is not repeated.
bool is_variable_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

std::string key_from_variable(const Values& values, const Variables& variables) {
  const std::string name = values.text("api-key-env");
  const std::string key = variable(variables, name);
  if (!key.empty() || !values.given("api-key-env")) return key;
  const std::string origin = values.origin("api-key-env");
  if (is_variable_name(name)) throw UsageError(fmt::format("{}: the variable {} is not set", origin, name));
  throw UsageError(fmt::format("{}: takes the name of a variable that is set, not the key itself", origin));
}

std::string key_from_file(const Values& values) {
  const std::string content = read_text_file(values, "api-key-file");
  const std::string key{trim(std::string_view(content).substr(0, content.find('\n')))};
  if (key.empty()) values.refuse("api-key-file", "has no key in its first line");
  return key;
}

std::string masked(std::string_view option, std::string_view text) {
  if (option.ends_with("-cmd") || option.ends_with("-point")) return mask_command(text);
  if (option.ends_with("-url")) return mask_url(text);
  if (option == "header" || option == "metrics-header")
    return fmt::format("{}: ****", text.substr(0, text.find(':')));
  if (option == "url" || option == "proxy") return mask_url(text);
  return std::string(text);
}

std::string shown_option(const OptionSpec& spec, const std::string& text) {
  const std::string value = shell_quoted(masked(spec.name, text));
  if (is_positional(spec.takes)) return value;
  if (spec.takes == Takes::level) return fmt::format("--{}{}", spec.name, text == "true" ? "" : "=" + text);
  if (spec.takes == Takes::flag) return fmt::format("--{}{}", spec.name, text == "true" ? "" : "=false");
  if (spec.takes == Takes::optional_value && text.empty()) return fmt::format("--{}", spec.name);
  return fmt::format("--{} {}", spec.name, value);
}

}  // namespace

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110, token
  return !name.empty() && std::ranges::all_of(name, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::vector<Header> headers_of(const Values& values, std::string_view option) {
  std::vector<Header> headers;
  for (const auto& text : values.list(option)) headers.push_back(header_of(values.origin(option), text));
  return headers;
}

std::string variable(const Variables& variables, std::string_view name) {
  const auto it = variables.find(std::string(name));
  return it == variables.end() ? std::string() : it->second;
}

void add_variables(const Variables& variables, std::vector<std::string>& secrets) {
  for (const auto& [name, value] : variables) {
    if (is_secret_variable(name, value)) secrets.push_back(value);
  }
}

std::string api_key_of(const Values& values, const Variables& variables) {
  const bool in_file = values.given("api-key-file");
  const std::string key = in_file ? key_from_file(values) : key_from_variable(values, variables);
  if (std::ranges::none_of(key, is_control)) return key;
  const std::string where = in_file ? values.origin("api-key-file") : values.text("api-key-env");
  throw UsageError(fmt::format("{}: the key holds a line break or a control character", where));
}

std::string shown_command(const Invocation& invocation) {
  std::string out = fmt::format("infermeter {}", invocation.command);
  for (const auto& given : invocation.typed) {
    if (given.option == "dry-run") continue;  // the command is that of the run
    const auto spec = std::ranges::find(invocation.options, given.option, &OptionSpec::name);
    out += " " + shown_option(*spec, given.texts.back());
  }
  return out;
}

}  // namespace infermeter
