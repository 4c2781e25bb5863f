// Names and who is there: looked up once before a run, since libcurl would start a thread per transfer for
// it.
#pragma once

#include <string>

namespace infermeter {

/// An entry for Target::resolve, "host:port:address,address"; empty for a host that is an address already.
/// Throws EnvironmentError naming the host where it has no address.
std::string resolve_entry(const std::string& host, int port);

/// Whether anything takes connections there; looks for two seconds at most an address.
bool takes_connections(const std::string& host, int port);

}  // namespace infermeter
