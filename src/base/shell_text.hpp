// Text for a shell, so that a line can be pasted.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// One word of POSIX shells: as it is, if no character of it means anything to them, else in single quotes.
std::string shell_quoted(std::string_view text);

}  // namespace infermeter
