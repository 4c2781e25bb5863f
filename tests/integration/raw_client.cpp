#include "raw_client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace infermeter::test {
namespace {

std::size_t hex(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

// Decodes the chunked body in `raw` as far as possible; returns the end of the last chunk if it is there.
std::optional<std::size_t> decode_chunks(std::string_view raw, std::string& body) {
  body.clear();
  std::size_t at = 0;
  for (;;) {
    const auto line_end = raw.find("\r\n", at);
    if (line_end == std::string_view::npos) return std::nullopt;
    const std::size_t size = hex(raw.substr(at, line_end - at));
    at = line_end + 2;
    body += raw.substr(at, size);
    if (at + size + 2 > raw.size()) return std::nullopt;
    at += size + 2;
    if (size == 0) return at;
  }
}

std::optional<std::size_t> body_end(const std::string& head, std::string_view raw, std::string& body) {
  if (head.find("transfer-encoding: chunked") != std::string::npos) return decode_chunks(raw, body);
  const auto length = head.find("content-length: ");
  body = raw;
  if (length == std::string::npos) return std::nullopt;
  std::size_t size = 0;
  std::from_chars(head.data() + length + 16, head.data() + head.size(), size);
  body = raw.substr(0, size);
  return raw.size() >= size ? std::optional(size) : std::nullopt;
}

}  // namespace

RawClient::RawClient(const std::string& url) {
  const auto colon = url.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
  inet_pton(AF_INET, url.substr(7, colon - 7).c_str(), &address.sin_addr);
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{20, 0};
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to " + url);
}

RawClient::~RawClient() {
  if (fd_ >= 0) ::close(fd_);
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("cannot send");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void RawClient::post(std::string_view path, std::string_view body, std::string_view headers) {
  send(fmt::format("POST {} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n{}\r\n{}", path, body.size(),
                   headers, body));
}

Answer RawClient::get(std::string_view path) {
  send(fmt::format("GET {} HTTP/1.1\r\nhost: test\r\n\r\n", path));
  return receive();
}

Answer RawClient::receive() {
  Answer answer;
  std::string raw = std::exchange(rest_, {});
  char buffer[16384];
  for (;;) {
    const auto head_end = raw.find("\r\n\r\n");
    if (head_end != std::string::npos) {
      answer.head = raw.substr(0, head_end + 4);
      answer.status = std::stoi(raw.substr(9, 3));
      if (const auto end = body_end(answer.head, std::string_view(raw).substr(head_end + 4), answer.body)) {
        rest_ = raw.substr(head_end + 4 + *end);
        answer.end = End::complete;
        return answer;
      }
    }
    const auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    const int error = errno;
    if (n <= 0) {
      answer.end = n == 0 ? End::closed : error == ECONNRESET ? End::reset : End::timed_out;
      return answer;
    }
    answer.reads.emplace_back(now(), static_cast<std::size_t>(n));
    raw.append(buffer, static_cast<std::size_t>(n));
  }
}

std::string RawClient::read_some() {
  char buffer[16384];
  const auto n = ::recv(fd_, buffer, sizeof buffer, 0);
  return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : std::string();
}

}  // namespace infermeter::test
