// The kernel's receive stamps of a socket: when unread bytes arrived, not when this program read them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "infermeter/base/clock.hpp"

namespace infermeter {

/// Asks for software receive stamps (SO_TIMESTAMPING). A unix socket accepts the option and never delivers
/// one.
void request_arrival_stamps(int fd);

/// Unread bytes, copied by MSG_PEEK, and the CLOCK_REALTIME stamp of the last segment among them. Segments
/// that the kernel merged have the stamp of the last one.
struct PeekedBytes {
  std::size_t length = 0;  // at most that of the buffer
  nanoseconds last_arrival{};
};
/// Nothing if there is no byte or no stamp.
std::optional<PeekedBytes> peek_bytes(int fd, std::span<char> buffer);

/// The stamp of the segment that holds the last of the next `length` unread bytes. MSG_TRUNC without a
/// buffer: copies nothing.
std::optional<nanoseconds> peek_arrival(int fd, std::size_t length);

/// Total bytes that a TCP socket has received, and the part of them that was already read; 0 for other
/// sockets.
std::uint64_t bytes_received(int fd);
std::uint64_t bytes_taken(int fd);

/// Total segments with data that a TCP socket has received, and sent; 0 for other sockets.
std::uint32_t segments_received(int fd);
std::uint32_t segments_sent(int fd);

}  // namespace infermeter
