#include "sim/api/image_tokens.hpp"

#include <string>

#include "base/random.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kTile = 28;
constexpr ImageSize kUnseen{512, 512};
// Token ids from 1000 on, as the tokenizer gives words.
constexpr std::uint32_t kFirstId = 1000, kIds = 127'000;

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | byte_at(bytes, at + i);
  return value;
}

// Reads segments by their lengths until the frame header (SOF0 … SOF15 without DHT, JPG and DAC).
std::optional<ImageSize> jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && byte_at(bytes, at) == 0xFF) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return ImageSize{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    at += 2 + big_endian(bytes, at + 2, 2);
  }
  return std::nullopt;
}

Tokens tiles(ImageSize size, std::uint64_t content) {
  const auto along = [](std::uint32_t pixels) { return (pixels + kTile - 1) / kTile; };
  Tokens tokens;
  const std::uint64_t count = std::uint64_t{along(size.width)} * along(size.height);
  for (std::uint64_t i = 0; i < count; ++i)
    tokens.push_back(kFirstId + static_cast<std::uint32_t>(mix64(content + i) % kIds));
  return tokens;
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

}  // namespace

std::optional<ImageSize> image_size(std::string_view bytes) {
  constexpr std::string_view kPng{"\x89PNG\r\n\x1a\n", 8};
  std::optional<ImageSize> size;
  if (bytes.starts_with(kPng) && bytes.size() >= 24)
    size = ImageSize{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
  if (bytes.starts_with("\xFF\xD8")) size = jpeg_size(bytes);
  if (bytes.starts_with("GIF8") && bytes.size() >= 10)
    size =
        ImageSize{byte_at(bytes, 6) | byte_at(bytes, 7) << 8U, byte_at(bytes, 8) | byte_at(bytes, 9) << 8U};
  constexpr std::uint32_t kMostSide = 16'384;
  const bool sane =
      size && size->width > 0 && size->height > 0 && size->width <= kMostSide && size->height <= kMostSide;
  return sane ? size : std::nullopt;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int value = sextet(c);
    if (value < 0) break;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    if ((held += 6) < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xFFU);
  }
  return bytes;
}

std::optional<Tokens> image_tokens_of_base64(std::string_view base64) {
  const auto size = image_size(from_base64(base64));
  if (!size) return std::nullopt;
  return tiles(*size, hash_bytes(base64));
}

std::optional<Tokens> image_tokens_of_url(std::string_view url) {
  if (!url.starts_with("data:")) return tiles(kUnseen, hash_bytes(url));
  const auto comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  return image_tokens_of_base64(url.substr(comma + 1));
}

}  // namespace infermeter::sim
