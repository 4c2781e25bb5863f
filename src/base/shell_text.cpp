#include "base/shell_text.hpp"

#include <algorithm>
#include <cctype>

namespace infermeter {

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

}  // namespace infermeter
