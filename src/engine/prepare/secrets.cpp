#include "engine/prepare/secrets.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kShortest = 6;

}  // namespace

// The key itself follows a scheme ("Bearer …"), and a server may repeat it alone; the whole value comes
// first, so that it is removed as a whole.
void add_secret(std::string_view value, std::vector<std::string>& secrets) {
  if (value.size() < kShortest) return;
  secrets.emplace_back(value);
  const auto space = value.find(' ');
  if (space != std::string_view::npos) add_secret(value.substr(space + 1), secrets);
}

std::vector<std::string> secrets_of(const Target& target, const std::vector<TrafficClass>& classes) {
  std::vector<std::string> secrets;
  add_secret(target.api_key, secrets);
  for (const auto& [name, value] : target.headers) add_secret(value, secrets);
  for (const auto& traffic : classes) {
    for (const auto& [name, value] : traffic.headers) add_secret(value, secrets);
  }
  return secrets;
}

std::string without_secrets(std::string text, const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) {
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
      text.replace(at, secret.size(), "****");
  }
  return text;
}

}  // namespace infermeter
