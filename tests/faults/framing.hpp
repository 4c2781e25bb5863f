// An answer as bytes, by hand: HTTP/1.1 and HTTP/2 with prior knowledge. Every part comes in pieces that a
// fault may come between. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter::faults {

struct Head {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case
};

using Halves = std::pair<std::string, std::string>;

class Framing {
 public:
  virtual ~Framing() = default;
  virtual Halves head(const Head& head) const = 0;
  virtual std::string data(const std::string& bytes) const = 0;
  virtual Halves end() const = 0;
};

/// Chunked, with a trailer.
class Chunked final : public Framing {
 public:
  Halves head(const Head& head) const override;
  std::string data(const std::string& bytes) const override;
  Halves end() const override;
};

/// The bytes alone: their length stands in a field, or the connection's end is theirs.
class Bare final : public Framing {
 public:
  Halves head(const Head& head) const override;
  std::string data(const std::string& bytes) const override { return bytes; }
  Halves end() const override { return {}; }
};

/// Frames of one stream, with trailers.
class Http2 final : public Framing {
 public:
  explicit Http2(std::uint32_t stream) : stream_(stream) {}
  Halves head(const Head& head) const override;
  std::string data(const std::string& bytes) const override;
  Halves end() const override;

 private:
  std::uint32_t stream_;
};

// RFC 9113
constexpr std::uint8_t kData = 0, kHeaders = 1, kRstStream = 3, kSettings = 4, kPushPromise = 5, kPing = 6,
                       kGoaway = 7, kWindowUpdate = 8, kContinuation = 9;
constexpr std::uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4;
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload);
std::string big_endian(std::uint32_t value);
/// A header block without a table: every field as a literal.
std::string header_block(const std::vector<std::pair<std::string, std::string>>& fields);

/// As a gzip file of stored blocks.
std::string gzipped(const std::string& bytes);

}  // namespace infermeter::faults
