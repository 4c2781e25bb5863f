#include "io/http/proxy.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>

namespace infermeter {
namespace {

using Variables = std::map<std::string, std::string>;

std::string first_of(const Variables& variables, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto it = variables.find(name);
    if (it != variables.end() && !it->second.empty()) return it->second;
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
  const bool direct = is_loopback_host(host_of(target.url)) || !target.unix_socket.empty();
  return direct ? std::string() : target.proxy;
}

std::optional<ProxyPlace> proxy_place(std::string_view proxy) {
  constexpr int kDefault = 1080, kEncrypted = 443;
  const std::string host(host_of(proxy));
  if (host.empty()) return std::nullopt;
  ProxyPlace place{host, proxy.starts_with("https:") ? kEncrypted : kDefault};
  if (const auto scheme = proxy.find("://"); scheme != std::string_view::npos)
    proxy.remove_prefix(scheme + 3);
  proxy = proxy.substr(0, proxy.find('/'));
  const auto colon = proxy.rfind(':');
  if (colon == std::string_view::npos || proxy.ends_with(']')) return place;
  int port = 0;
  const auto [end, error] = std::from_chars(proxy.data() + colon + 1, proxy.data() + proxy.size(), port);
  if (error == std::errc() && end == proxy.data() + proxy.size()) place.port = port;
  return place;
}

std::string proxy_from(const std::map<std::string, std::string>& variables, std::string_view url) {
  const std::string_view host = host_of(url);
  if (is_loopback_host(host) || no_proxy_covers(first_of(variables, {"no_proxy", "NO_PROXY"}), host))
    return {};
  const std::string own = url.starts_with("https:") ? first_of(variables, {"https_proxy", "HTTPS_PROXY"})
                                                    : first_of(variables, {"http_proxy"});
  return own.empty() ? first_of(variables, {"all_proxy", "ALL_PROXY"}) : own;
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
