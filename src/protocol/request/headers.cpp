#include "protocol/request/headers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kBearer = "Authorization";

std::string key_header(const Target& target, const TargetUrl& url) {
  if (!target.auth_header.empty()) return target.auth_header;
  if (url.endpoint == Endpoint::messages) return "x-api-key";
  return url.is_azure() ? "api-key" : std::string(kBearer);
}

std::vector<Header> own_headers(const Target& target, const TargetUrl& url, bool stream) {
  const bool streams = stream && url.endpoint != Endpoint::embeddings;
  std::vector<Header> out{{"Content-Type", "application/json"},
                          {"Accept", streams ? "text/event-stream" : "application/json"},
                          {"User-Agent", "infermeter"}};
  if (url.endpoint == Endpoint::messages) out.emplace_back("anthropic-version", "2023-06-01");
  if (target.api_key.empty()) return out;
  const std::string name = key_header(target, url);
  out.emplace_back(name, equals_ignoring_case(name, kBearer) ? "Bearer " + target.api_key : target.api_key);
  return out;
}

// Those of `more` replace those of the same name; one name may come several times in `more`.
void put_over(std::vector<Header>& headers, const std::vector<Header>& more) {
  const auto replaced = [&more](const Header& header) {
    return std::any_of(more.begin(), more.end(), [&header](const Header& other) {
      return equals_ignoring_case(header.first, other.first);
    });
  };
  headers.erase(std::remove_if(headers.begin(), headers.end(), replaced), headers.end());
  headers.insert(headers.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> header_lines(const Target& target, const TargetUrl& url, bool stream) {
  std::vector<Header> headers = own_headers(target, url, stream);
  put_over(headers, target.headers);
  std::vector<std::string> lines{"Expect:"};  // no 100-continue: it would cost a round trip on large prompts
  for (const auto& [name, value] : headers) lines.push_back(fmt::format("{}: {}", name, value));
  return lines;
}

}  // namespace infermeter
