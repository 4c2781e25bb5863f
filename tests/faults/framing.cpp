#include "framing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace infermeter::faults {
namespace {

Halves halves(const std::string& text) {
  return {text.substr(0, text.size() / 2), text.substr(text.size() / 2)};
}

std::string head_text(const Head& head, std::string_view last_fields) {
  std::string text = fmt::format("HTTP/1.1 {} Reason\r\n", head.status);
  for (const auto& [name, value] : head.fields) text += name + ": " + value + "\r\n";
  return text.append(last_fields) + "\r\n";
}

// An HPACK string without Huffman coding; its length has a prefix of seven bits (RFC 7541, 5.1).
std::string hpack_string(const std::string& text) {
  std::string out;
  std::size_t length = text.size();
  if (length < 127) {
    out += static_cast<char>(length);
  } else {
    out += '\x7f';
    for (length -= 127; length >= 128; length /= 128) out += static_cast<char>(0x80 | (length & 0x7f));
    out += static_cast<char>(length);
  }
  return out + text;
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::string little_endian(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

}  // namespace

Halves Chunked::head(const Head& head) const {
  return halves(head_text(head, "trailer: x-checked\r\ntransfer-encoding: chunked\r\n"));
}
std::string Chunked::data(const std::string& bytes) const {
  return bytes.empty() ? bytes : fmt::format("{:x}\r\n", bytes.size()) + bytes + "\r\n";
}
Halves Chunked::end() const { return {"0\r\nx-che", "cked: yes\r\n\r\n"}; }

Halves Bare::head(const Head& head) const { return halves(head_text(head, "")); }

Halves Http2::head(const Head& head) const {
  auto fields = head.fields;
  fields.insert(fields.begin(), {":status", std::to_string(head.status)});
  const auto [first, second] = halves(header_block(fields));
  return {frame(kHeaders, 0, stream_, first), frame(kContinuation, kEndHeaders, stream_, second)};
}
std::string Http2::data(const std::string& bytes) const {
  constexpr std::size_t most = 16'384;  // SETTINGS_MAX_FRAME_SIZE unless a peer raises it
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += most)
    out += frame(kData, 0, stream_, std::string_view(bytes).substr(at, most));
  return out;
}
Halves Http2::end() const {
  const auto [first, second] = halves(header_block({{"x-checked", "yes"}}));
  return {frame(kHeaders, kEndStream, stream_, first), frame(kContinuation, kEndHeaders, stream_, second)};
}

std::string big_endian(std::uint32_t value) {
  std::string out = little_endian(value, 4);
  std::ranges::reverse(out);
  return out;
}

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out = big_endian(static_cast<std::uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return (out + big_endian(stream)).append(payload);
}

std::string header_block(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string block;
  for (const auto& [name, value] : fields) block += '\0' + hpack_string(name) + hpack_string(value);
  return block;
}

std::string gzipped(const std::string& bytes) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  constexpr std::size_t most = 65'535;
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += most) {
    const std::string block = bytes.substr(at, most);
    const auto size = static_cast<std::uint32_t>(block.size());
    out += at + most >= bytes.size() ? '\1' : '\0';
    out += little_endian(size, 2) + little_endian(~size, 2) + block;
  }
  return out + little_endian(crc32(bytes), 4) + little_endian(static_cast<std::uint32_t>(bytes.size()), 4);
}

}  // namespace infermeter::faults
