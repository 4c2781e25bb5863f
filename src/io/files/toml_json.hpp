// A TOML value as JSON text: what a table in a configuration file is to a request body.
#pragma once

#include <string>

#include <toml++/toml.h>

namespace infermeter {

/// In one line, keys in the order of the file. Throws UsageError naming `path` and line for a date or a
/// number that JSON has not.
std::string json_of(const std::string& path, const toml::node& node);

}  // namespace infermeter
