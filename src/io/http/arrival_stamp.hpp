// The kernel's receive stamps of a socket: when unread bytes arrived, not when this program read them.
#pragma once

#include <cstdint>
#include <optional>

#include "infermeter/base/clock.hpp"

namespace infermeter {

/// Asks for software receive stamps (SO_TIMESTAMPING). A unix socket accepts the option and never delivers
/// one.
void request_arrival_stamps(int fd);

/// CLOCK_REALTIME stamp of the first unread byte, by a one-byte MSG_PEEK; nothing if there is no byte or no
/// stamp.
std::optional<nanoseconds> peek_first_arrival(int fd);

/// The stamp of the last segment among the next `length` unread bytes. MSG_TRUNC without a buffer: copies
/// nothing.
std::optional<nanoseconds> peek_last_arrival(int fd, std::size_t length);

/// Total bytes that a TCP socket has received, and the part of them that was already read; 0 for other
/// sockets.
std::uint64_t bytes_received(int fd);
std::uint64_t bytes_taken(int fd);

}  // namespace infermeter
