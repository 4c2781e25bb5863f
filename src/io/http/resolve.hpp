// Name resolution and a connection check, once before a run, because libcurl would start a thread per
// transfer for it.
#pragma once

#include <string>
#include <string_view>

#include "base/time_limit.hpp"

namespace infermeter {

/// An entry for Target::resolve, "host:port:address,address"; empty if the host is already an address. Throws
/// EnvironmentError naming the host, with `what` it is before its name, if it has no address, or none is
/// found within the limit.
std::string resolve_entry(const std::string& host, int port, const TimeLimit& limit,
                          std::string_view what = {});

/// Whether anything accepts connections there; tries for at most two seconds per address.
bool takes_connections(const std::string& host, int port);

}  // namespace infermeter
