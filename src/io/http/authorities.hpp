// Where a system keeps the certificate authorities that it trusts. A libcurl of the system knows its place;
// the one that is linked into the released program does not, since it runs on every distribution.
#pragma once

#include <string>
#include <vector>

namespace infermeter {

/// Where Debian, Red Hat, SUSE and Alpine keep them in one file.
const std::vector<std::string>& authority_files();

/// The first of these files that can be read, or empty.
std::string first_readable(const std::vector<std::string>& files);

/// What a connection without --cacert trusts: libcurl's own file, else the first readable one. Empty: libcurl
/// has a folder of its own. Throws EnvironmentError where there is neither.
std::string trusted_authorities();

}  // namespace infermeter
