// null_client: the minimal client, epoll and recv without reading the bytes: the baseline for the cost of a
// real client's parsing and bookkeeping. Opens --concurrency connections, sends one request at a time on each
// until --requests have been answered, and detects the end of an answer by its last five bytes.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "arguments.hpp"

namespace infermeter::bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// The fields that infermeter sends, padded to the size of its requests.
std::string make_request(long output_tokens, std::size_t size) {
  const std::string head =
      R"({"model":"exact","stream":true,"stream_options":{"include_usage":true},"max_tokens":)" +
      std::to_string(output_tokens) + R"(,"messages":[{"role":"user","content":")";
  const std::string tail = R"("}]})";
  const std::size_t pad = size > head.size() + tail.size() ? size - head.size() - tail.size() : 0;
  const std::string body = head + std::string(pad, 'x') + tail;
  return fmt::format(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
      "Content-Type: application/json\r\nX-Request-Id: null\r\nContent-Length: {}\r\n\r\n{}",
      body.size(), body);
}

class NullClient {
 public:
  NullClient(long port, long requests, std::string request)
      : port_(port),
        to_send_(requests),
        to_finish_(requests),
        request_(std::move(request)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  void run(long concurrency) {
    for (long i = 0; i < concurrency; ++i) send_request(connect());
    while (to_finish_ > 0) turn();
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
    return fd;
  }

  void send_request(int fd) {
    if (to_send_ == 0) return;
    --to_send_;
    // Blocking, and much smaller than a socket's buffer: one call sends all.
    if (::send(fd, request_.data(), request_.size(), MSG_NOSIGNAL) < 0) fail("send");
  }

  void turn() {
    std::array<epoll_event, 128> events;
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10'000);
    if (count == 0) throw std::runtime_error("nothing came for 10 s");
    for (int i = 0; i < count; ++i) read_from(events[static_cast<std::size_t>(i)].data.fd);
  }

  void read_from(int fd) {
    static std::array<char, 65536> buffer;
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) throw std::runtime_error("the server closed a connection");
    bytes_ += static_cast<std::uint64_t>(count);
    if (!std::string_view(buffer.data(), static_cast<std::size_t>(count)).ends_with("0\r\n\r\n")) return;
    --to_finish_;
    send_request(fd);
  }

  long port_, to_send_, to_finish_;
  std::string request_;
  int epoll_;
  std::uint64_t bytes_ = 0;
};

void run(int argc, char** argv) {
  const Arguments arguments(argc, argv,
                            {"--port", "--concurrency", "--requests", "--output-tokens", "--request-bytes"});
  const long requests = arguments.number("--requests", 256);
  const long tokens = arguments.number("--output-tokens", 500);
  const auto size = static_cast<std::size_t>(arguments.number("--request-bytes", 3000));
  NullClient client(arguments.number("--port", 0), requests, make_request(tokens, size));
  client.run(std::min(requests, arguments.number("--concurrency", 256)));
  fmt::print("{} requests, {} token-bearing events, {} bytes\n", requests, requests * tokens, client.bytes());
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) { return infermeter::bench::run_program(infermeter::bench::run, argc, argv); }
