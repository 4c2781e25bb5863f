#include "cli/options/key_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "cli/options/text_file.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

/// As nearly all are written: anything else may be the key itself, and is not repeated.
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

}  // namespace

std::string variable(const Variables& variables, std::string_view name) {
  const auto it = variables.find(std::string(name));
  return it == variables.end() ? std::string() : it->second;
}

std::string api_key_of(const Values& values, const Variables& variables) {
  const bool in_file = values.given("api-key-file");
  const std::string key = in_file ? key_from_file(values) : key_from_variable(values, variables);
  if (std::ranges::none_of(key, is_control)) return key;
  const std::string where = in_file ? values.origin("api-key-file") : values.text("api-key-env");
  throw UsageError(fmt::format("{}: the key holds a line break or a control character", where));
}

}  // namespace infermeter
