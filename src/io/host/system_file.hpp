// Small files in which the system gives its facts (/proc, /sys, /etc). Any thread.
#pragma once

#include <string>

namespace infermeter {

/// Empty if it cannot be read: a fact that a system does not provide is not an error.
std::string system_text(const std::string& path);
/// Its first line.
std::string system_line(const std::string& path);

}  // namespace infermeter
