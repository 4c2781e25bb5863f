#include "cli/options/header_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"

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
  if (same_header(name, "content-length") || same_header(name, "transfer-encoding"))
    throw UsageError(fmt::format("{}: {} follows from the body and cannot be set", origin, name));
  return {name, value};
}

}  // namespace

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110, token
  return !name.empty() && std::ranges::all_of(name, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool same_header(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](unsigned char a, char b) { return std::tolower(a) == b; });
}

std::vector<Header> headers_of(const Values& values) {
  std::vector<Header> headers;
  for (const auto& text : values.list("header")) headers.push_back(header_of(values.origin("header"), text));
  return headers;
}

}  // namespace infermeter
