// What a finish reason means. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace infermeter {

enum class FinishKind : std::uint8_t {
  known,     // "stop", "length", …: the answer is complete
  filtered,  // stopped by a filter of content
  failed,    // the server failed
  unknown,   // complete, as far as is known; the reason is shown as given
};

/// Servers use names of their own: those that are not known are judged by the words in them. Any case.
FinishKind finish_kind(std::string_view reason);

/// Whether some server's documents name it. Any case.
bool is_known_reason(std::string_view reason);

}  // namespace infermeter
