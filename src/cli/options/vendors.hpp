// The vendors and servers of configs/vendors, which are compiled into the program: what --vendor and the key
// `vendor` of a [[target]] name. Any thread.
#pragma once

#include <string>

#include "cli/options/source_file.hpp"

namespace infermeter {

/// The file of a vendor, by its name; a name with a '/' or ending in .toml is the user's own file. Throws
/// UsageError naming `origin`, the option as written, and the vendors with a similar name.
Source find_vendor(const std::string& origin, const std::string& name);

}  // namespace infermeter
