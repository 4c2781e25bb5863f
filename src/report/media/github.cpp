#include <algorithm>
#include <cstddef>

#include "report/media/media.hpp"

namespace infermeter {
namespace {

std::string with_escapes_of(std::string_view special, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

}  // namespace

std::string github_message(std::string_view lines) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += printable(lines.substr(0, end), false);
    if (end == lines.size()) break;
    out += '\n';
    lines.remove_prefix(end + 1);
  }
  return with_escapes_of("%\r\n", out);
}

std::string github_property(std::string_view text) {
  return with_escapes_of("%\r\n:,", printable(text, false));
}

}  // namespace infermeter
