// Secrets that a server streams in pieces, some characters an event.
#pragma once

#include <string>
#include <string_view>

#include "model/secrets/secrets.hpp"

namespace infermeter {

/// The first `limit` bytes of what a server sent, masked; nothing of it where the strings of one JSON key,
/// put together over the events, hold a secret: no mask finds its pieces. `bytes` may end anywhere.
std::string masked_stream(const Secrets& secrets, std::string_view bytes, std::size_t limit);

}  // namespace infermeter
