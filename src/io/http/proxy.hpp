// The proxy for a target: its own (cli takes it from the option, else from the environment, as curl does);
// never for loopback. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The target's proxy, or empty if there is none.
std::string proxy_in_use(const Target& target);

/// Where a proxy is: its host without brackets, and its port or the one that libcurl takes without.
struct ProxyPlace {
  std::string host;
  int port = 0;
};
/// Empty for no proxy.
std::optional<ProxyPlace> proxy_place(std::string_view proxy);

/// The proxy that these variables name for a URL, or empty: http_proxy (lower case only: a web server sets
/// HTTP_PROXY from a header), https_proxy, all_proxy and no_proxy, the latter three in both cases.
std::string proxy_from(const std::map<std::string, std::string>& variables, std::string_view url);

/// localhost, *.localhost, 127.0.0.0/8, ::1; case-insensitive.
bool is_loopback_host(std::string_view host);

/// Whether a no_proxy list ("*", or names, domains and IPv4 networks by comma) covers `host`.
bool no_proxy_covers(std::string_view list, std::string_view host);

}  // namespace infermeter
