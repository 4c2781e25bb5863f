#include "infermeter/io/proxy.hpp"

#include <cstdlib>

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

bool is_loopback_host(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" || host.starts_with("127.");
}

bool no_proxy_covers(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view entry = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    while (entry.starts_with(' ') || entry.starts_with('.')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    if (entry == "*" || (!entry.empty() && entry == host)) return true;
    if (!entry.empty() && host.size() > entry.size() && host.ends_with(entry) &&
        host[host.size() - entry.size() - 1] == '.') {
      return true;
    }
  }
  return false;
}

}  // namespace infermeter
