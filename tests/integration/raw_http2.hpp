// HTTP/2 by hand, for a script of RawServer: frames of RFC 9113 over plain TCP with prior knowledge. Every
// wait is bounded by read_exactly.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

#include "raw_server.hpp"

namespace infermeter {

enum class FrameType : std::uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  reset = 3,
  settings = 4,
  goaway = 7,
  window_update = 8
};

inline std::string big_endian(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i));
  return out;
}

inline std::string frame(FrameType type, int flags, std::uint32_t stream, const std::string& payload = {}) {
  return big_endian(static_cast<std::uint32_t>(payload.size()), 3) + static_cast<char>(type) +
         static_cast<char>(flags) + big_endian(stream, 4) + payload;
}

inline constexpr int kEndStream = 1, kAcknowledge = 1, kEndHeaders = 4;

inline std::string reset_frame(std::uint32_t stream, std::uint32_t code) {
  return frame(FrameType::reset, 0, stream, big_endian(code, 4));
}
inline std::string goaway_frame(std::uint32_t last_stream, std::uint32_t code) {
  return frame(FrameType::goaway, 0, 0, big_endian(last_stream, 4) + big_endian(code, 4));
}
/// ":status: 200" and a content type, without compression.
inline std::string head_frame(std::uint32_t stream) {
  const std::string name = "content-type", value = "text/event-stream";
  return frame(FrameType::headers, kEndHeaders, stream,
               std::string("\x88") + '\0' + static_cast<char>(name.size()) + name +
                   static_cast<char>(value.size()) + value);
}

/// Empty when the peer closed or 10 s passed.
inline std::optional<std::string> read_exactly(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    pollfd ready{fd, POLLIN, 0};
    if (::poll(&ready, 1, 10'000) <= 0) return std::nullopt;
    const ssize_t got = ::recv(fd, bytes.data() + done, size - done, 0);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// The server's side of one connection.
class Http2Peer {
 public:
  /// Reads the preface and sends the settings: as many streams as that at a time.
  explicit Http2Peer(int fd, std::uint32_t max_streams = 100) : fd_(fd) {
    read_exactly(fd, 24);
    write_all(fd, frame(FrameType::settings, 0, 0, big_endian(3, 2) + big_endian(max_streams, 4)));
  }
  /// The stream of the next whole request; 0 at the end of the connection.
  std::uint32_t next_request() const {
    while (const auto head = read_exactly(fd_, 9)) {
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>((*head)[i]); };
      const std::size_t length = std::size_t{byte(0)} << 16 | std::size_t{byte(1)} << 8 | byte(2);
      if (!read_exactly(fd_, length)) return 0;
      const auto type = static_cast<FrameType>(byte(3));
      const bool flag = (byte(4) & 1) != 0;
      if (type == FrameType::settings && !flag) write_all(fd_, frame(FrameType::settings, kAcknowledge, 0));
      const bool of_request = type == FrameType::data || type == FrameType::headers;
      if (of_request && flag)
        return std::uint32_t{byte(5)} << 24 | std::uint32_t{byte(6)} << 16 | std::uint32_t{byte(7)} << 8 |
               byte(8);
    }
    return 0;
  }
  void send(const std::string& frames) const { write_all(fd_, frames); }

 private:
  int fd_;
};

}  // namespace infermeter
