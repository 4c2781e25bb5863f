#include "infermeter/engine/secrets.hpp"

namespace infermeter {
namespace {

void add(const std::string& value, std::vector<std::string>& secrets) {
  constexpr std::size_t kShortest = 6;
  if (value.size() >= kShortest) secrets.push_back(value);
}

}  // namespace

std::vector<std::string> secrets_of(const Target& target, const std::vector<TrafficClass>& classes) {
  std::vector<std::string> secrets;
  add(target.api_key, secrets);
  for (const auto& [name, value] : target.headers) add(value, secrets);
  for (const auto& traffic : classes) {
    for (const auto& [name, value] : traffic.headers) add(value, secrets);
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
