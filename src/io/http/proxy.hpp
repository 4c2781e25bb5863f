// Which proxy a target is reached through: the option, else the environment as curl reads it; never for
// loopback.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The proxy's URL, or empty for none. Reads http_proxy (lower case only: a web server sets HTTP_PROXY from a
/// header), https_proxy, all_proxy and no_proxy, the latter three in both cases.
std::string proxy_in_use(const Target& target);

/// localhost, *.localhost, 127.0.0.0/8, ::1; in any case of letters.
bool is_loopback_host(std::string_view host);

/// Whether a no_proxy list ("*", or names, domains and IPv4 networks by comma) covers `host`.
bool no_proxy_covers(std::string_view list, std::string_view host);

}  // namespace infermeter
