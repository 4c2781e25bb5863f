#include "workload/data/first_keys.hpp"

namespace infermeter {
namespace {

/// The text of the string whose quote is the first character; `rest` then begins behind it. Nothing is left
/// where it does not end.
std::string_view take_string(std::string_view& rest) {
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) {
    rest = {};
    return {};
  }
  const std::string_view text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return text;
}

bool colon_follows(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && rest[at] == ':';
}

}  // namespace

std::vector<std::string> first_keys(std::string_view head) {
  std::vector<std::string> keys;
  const std::size_t open = head.find('{');
  if (open == std::string_view::npos) return keys;
  head.remove_prefix(open + 1);
  int depth = 1;
  while (!head.empty() && depth > 0) {
    const char c = head.front();
    if (c == '"') {
      const std::string_view text = take_string(head);
      if (depth == 1 && colon_follows(head)) keys.emplace_back(text);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    head.remove_prefix(1);
  }
  return keys;
}

}  // namespace infermeter
