#include "protocol/request/headers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "protocol/endpoints/traits.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kBearer = "Authorization";

std::string key_header(const Target& target, const TargetUrl& url) {
  if (!target.auth_header.empty()) return target.auth_header;
  const std::string_view own = traits_of(url.endpoint).key_header;
  if (!own.empty()) return std::string(own);
  return url.is_azure() ? "api-key" : std::string(kBearer);
}

std::vector<Header> own_headers(const Target& target, const TargetUrl& url, bool stream) {
  const EndpointTraits& traits = traits_of(url.endpoint);
  const bool streams = stream && traits.generates;
  std::vector<Header> out{{"Content-Type", "application/json"},
                          {"Accept", streams ? "text/event-stream" : "application/json"},
                          {"User-Agent", "infermeter"}};
  if (!traits.version_header.empty()) out.emplace_back(traits.version_header, traits.version);
  if (target.api_key.empty()) return out;
  const std::string name = key_header(target, url);
  out.emplace_back(name, equals_ignoring_case(name, kBearer) ? "Bearer " + target.api_key : target.api_key);
  return out;
}

// Lines of `more` replace lines with the same name; one name may occur several times in `more`.
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
