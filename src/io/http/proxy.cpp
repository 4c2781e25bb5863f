#include "io/http/proxy.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace infermeter {
namespace {

std::string from_environment(const char* lower, const char* upper) {
  for (const char* name : {lower, upper}) {
    if (name == nullptr) continue;
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string_view host_of(std::string_view url) {
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('/'));
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  if (url.starts_with('[')) return url.substr(1, url.find(']') - 1);
  return url.substr(0, url.find(':'));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<std::uint32_t> ipv4(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

// "10.0.0.0/8", as curl reads it since 7.86.
bool in_network(std::string_view entry, std::string_view host) {
  const auto slash = entry.find('/');
  if (slash == std::string_view::npos) return false;
  const auto network = ipv4(entry.substr(0, slash)), address = ipv4(host);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(entry.data() + slash + 1, entry.data() + entry.size(), bits);
  if (!network || !address || error != std::errc() || end != entry.data() + entry.size() || bits > 32)
    return false;
  return bits == 0 || ((*network ^ *address) >> (32 - bits)) == 0;
}

bool in_domain(std::string_view entry, std::string_view host) {
  if (entry == host) return true;
  return host.size() > entry.size() && host.ends_with(entry) && host[host.size() - entry.size() - 1] == '.';
}

}  // namespace

std::string proxy_in_use(const Target& target) {
  const std::string_view host = host_of(target.url);
  if (is_loopback_host(host) || !target.unix_socket.empty()) return {};
  if (!target.proxy.empty()) return target.proxy;
  if (no_proxy_covers(from_environment("no_proxy", "NO_PROXY"), host)) return {};
  const std::string specific = target.url.starts_with("https:")
                                   ? from_environment("https_proxy", "HTTPS_PROXY")
                                   : from_environment("http_proxy", nullptr);
  return specific.empty() ? from_environment("all_proxy", "ALL_PROXY") : specific;
}

bool is_loopback_host(std::string_view text) {
  const std::string host = lower(text);
  const auto address = ipv4(host);
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (address && *address >> 24 == 127);
}

bool no_proxy_covers(std::string_view list, std::string_view text) {
  const std::string host = lower(text);
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view given = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    while (given.starts_with(' ') || given.starts_with('.')) given.remove_prefix(1);
    while (given.ends_with(' ')) given.remove_suffix(1);
    const std::string entry = lower(given);
    if (entry.empty()) continue;
    if (entry == "*" || in_domain(entry, host) || in_network(entry, host)) return true;
  }
  return false;
}

}  // namespace infermeter
