// The lines for people on stderr.
#pragma once

#include <string_view>

namespace infermeter {

/// Writes to stderr what can be written. Never throws: a full disk or a closed pipe there is no reason to
/// lose a measurement, or to die while an error is being told.
void write_error_output(std::string_view text) noexcept;

}  // namespace infermeter
