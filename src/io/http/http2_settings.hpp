// What a server's first frame of HTTP/2 says (RFC 9113, 6.5). libcurl keeps it to itself. Pure. Private to
// src/io/http.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace infermeter {

/// How much of a connection's beginning `max_streams_in` looks at.
inline constexpr std::size_t kSettingsBytes = 128;

/// SETTINGS_MAX_CONCURRENT_STREAMS of the settings with which a server opens a connection, if it gives a
/// number.
std::optional<std::uint32_t> max_streams_in(std::string_view first_bytes);

}  // namespace infermeter
