#include "io/http/http2_settings.hpp"

namespace infermeter {
namespace {

std::uint32_t number(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::optional<std::uint32_t> max_streams_in(std::string_view first_bytes) {
  constexpr std::size_t kHead = 9, kEntry = 6;
  constexpr char kSettings = 4, kAcknowledged = 1;
  constexpr std::uint32_t kMaxConcurrentStreams = 3;
  if (first_bytes.size() < kHead || first_bytes[3] != kSettings || (first_bytes[4] & kAcknowledged) != 0)
    return std::nullopt;
  std::string_view rest = first_bytes.substr(kHead, number(first_bytes.substr(0, 3)));
  for (; rest.size() >= kEntry; rest.remove_prefix(kEntry)) {
    if (number(rest.substr(0, 2)) == kMaxConcurrentStreams) return number(rest.substr(2, 4));
  }
  return std::nullopt;
}

}  // namespace infermeter
