#include "infermeter/engine/secrets.hpp"

namespace infermeter {

std::vector<std::string> secrets_of(const Target& target) {
  constexpr std::size_t kShortest = 6;
  std::vector<std::string> secrets;
  if (target.api_key.size() >= kShortest) secrets.push_back(target.api_key);
  for (const auto& [name, value] : target.headers) {
    if (value.size() >= kShortest) secrets.push_back(value);
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
