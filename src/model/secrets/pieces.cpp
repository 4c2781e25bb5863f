#include "model/secrets/pieces.hpp"

#include <algorithm>
#include <map>

namespace infermeter {
namespace {

/// The JSON string that begins behind the quote at `from`, without its quotes; `from` is then behind it.
std::string_view string_at(std::string_view text, std::size_t& from) {
  const std::size_t begin = ++from;
  while (from < text.size() && text[from] != '"') from += text[from] == '\\' ? 2 : 1;
  const std::size_t end = std::min(from, text.size());
  from = std::min(from + 1, text.size());
  return text.substr(begin, end - begin);
}

std::size_t beyond_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

struct Joined {
  std::string text;
  std::size_t values = 0;
};

/// The string values of each key, each masked, joined over all events. Not a parser: what is no JSON has no
/// such pairs.
std::map<std::string, Joined, std::less<>> joined_values(const Secrets& secrets, std::string_view text) {
  std::map<std::string, Joined, std::less<>> all;
  for (std::size_t at = text.find('"'); at < text.size(); at = text.find('"', at)) {
    const std::string_view key = string_at(text, at);
    const std::size_t colon = beyond_space(text, at);
    if (colon >= text.size() || text[colon] != ':') continue;
    at = beyond_space(text, colon + 1);
    if (at >= text.size() || text[at] != '"') continue;
    Joined& joined = all[std::string(key)];
    joined.text += secrets.mask(std::string(string_at(text, at)));
    ++joined.values;
  }
  return all;
}

}  // namespace

std::string masked_stream(const Secrets& secrets, std::string_view bytes, std::size_t limit) {
  for (const auto& [key, joined] : joined_values(secrets, bytes)) {
    if (joined.values > 1 && secrets.mask(joined.text, true) != joined.text)
      return "**** (withheld: it holds a secret in pieces)";
  }
  return secrets.mask_front(bytes, limit);
}

}  // namespace infermeter
