#include "matrix_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

#include "framing.hpp"
#include "infermeter/model/endpoint.hpp"

namespace infermeter::faults {
namespace {

using namespace std::chrono_literals;

constexpr auto kDripPause = 50ms;   // far longer than a byte takes, far shorter than the limits of a row
constexpr auto kFloodPause = 20ms;  // so that a slow build keeps up with it
constexpr auto kEndPause = 100ms;   // a reset throws away what the peer has not yet read

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Children of the driver get none of the sockets: a connection would stay open in them.
int bound_socket(int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    throw std::runtime_error("no port on 127.0.0.1");
  port = ntohs(address.sin_port);
  return fd;
}

void close_with_reset(int fd) {
  const linger reset{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string field_of(const std::string& head, const std::string& name) {
  const auto at = lower(head).find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 4;
  return head.substr(from, head.find("\r\n", from) - from);
}

struct Http1Request {
  std::string head, body;
};

// Takes one whole request from the bytes that have arrived.
std::optional<Http1Request> take_request(std::string& bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::string head = bytes.substr(0, end + 2);
  const std::string length = field_of(head, "content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  if (bytes.size() < end + 4 + size) return std::nullopt;
  Http1Request request{head, bytes.substr(end + 4, size)};
  bytes.erase(0, end + 4 + size);
  return request;
}

struct Frame {
  std::uint8_t type, flags;
  std::uint32_t stream;
  std::string payload;
};

std::uint32_t number_at(const std::string& bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

std::optional<Frame> take_frame(std::string& bytes) {
  if (bytes.size() < 9) return std::nullopt;
  const std::size_t size = number_at(bytes, 0, 3);
  if (bytes.size() < 9 + size) return std::nullopt;
  Frame frame{static_cast<std::uint8_t>(bytes[3]), static_cast<std::uint8_t>(bytes[4]),
              number_at(bytes, 5, 4) & 0x7fffffff, bytes.substr(9, size)};
  bytes.erase(0, 9 + size);
  return frame;
}

bool read_some(int fd, std::string& bytes) {
  char buffer[16'384];
  const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  bytes.append(buffer, static_cast<std::size_t>(n));
  return true;
}

}  // namespace

MatrixServer::MatrixServer(Rule rule)
    : rule_(std::move(rule)), listener_(bound_socket(port_)), second_(bound_socket(second_port_)) {
  const bool speaks = rule_.phase != "connect" && rule_.phase != "tls" && rule_.phase != "http2";
  if (speaks) script_of(rule_, {.path = "/", .key = {}, .elsewhere = {}});  // an unknown fault shows here
  if (!speaks && !is_closed()) connection_script(rule_);
  ::listen(second_, 8);
  if (rule_.fault == "backlog") {
    fill_backlog();
  } else if (!is_closed()) {
    ::listen(listener_, 64);
  }
  acceptor_ = std::thread([this] { accept_all(); });
}

MatrixServer::~MatrixServer() {
  stop_ = true;
  acceptor_.join();
  for (auto& connection : connections_) connection.join();
  for (const int fd : backlog_) ::close(fd);
  ::close(listener_);
  ::close(second_);
}

std::string MatrixServer::url() const {
  const auto row = std::ranges::find(kEndpoints, rule_.endpoint, &EndpointRow::name);
  // A label of 64 bytes is in no zone, so that no name server is asked.
  const std::string host = rule_.fault == "no-name" ? std::string(64, 'a') + ".test" : "127.0.0.1";
  return (rule_.phase == "tls" ? "https://" : "http://") + host + ":" + std::to_string(port_) + "/v1" +
         std::string(row->path);
}

bool MatrixServer::is_closed() const {
  return rule_.fault == "backlog" || rule_.fault == "closed" || rule_.fault == "no-name";
}

void MatrixServer::fill_backlog() {
  ::listen(listener_, 0);
  const sockaddr_in address = loopback(port_);
  for (int i = 0; i < 4; ++i) {  // a queue of 0 holds one; the others wait like a client
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    backlog_.push_back(fd);
  }
}

void MatrixServer::accept_all() {
  const bool accepts = !is_closed();
  while (!stop_) {
    pollfd sockets[] = {{second_, POLLIN, 0}, {accepts ? listener_ : -1, POLLIN, 0}};
    if (::poll(sockets, 2, 50) <= 0) continue;
    if (sockets[0].revents != 0) {
      ++elsewhere_;
      ::close(::accept4(second_, nullptr, nullptr, SOCK_CLOEXEC));
    }
    if (sockets[1].revents == 0) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.emplace_back([this, fd] {
      serve(fd);
      ::close(fd);
    });
  }
}

bool MatrixServer::wait_for(int fd, int milliseconds) const {
  for (int waited = 0; !stop_ && waited < milliseconds; waited += 50) {
    pollfd p{fd, POLLIN, 0};
    if (::poll(&p, 1, 50) > 0) return true;
  }
  return false;
}

void MatrixServer::hold(int fd) const {
  for (std::string ignored; wait_for(fd, 60'000) && read_some(fd, ignored);) ignored.clear();
}

bool MatrixServer::send_all(int fd, const std::string& bytes) const {
  for (std::size_t done = 0; done < bytes.size() && !stop_;) {
    pollfd p{fd, POLLOUT, 0};
    if (::poll(&p, 1, 50) <= 0) continue;
    const ssize_t n = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return !stop_;
}

void MatrixServer::serve(int fd) {
  if (rule_.phase == "tls") {
    std::string hello;
    if (wait_for(fd, 10'000)) read_some(fd, hello);
  }
  if (rule_.phase == "connect" || rule_.phase == "tls") {
    if (follow(fd, connection_script(rule_))) hold(fd);
  } else if (rule_.http2()) {
    serve_http2(fd);
  } else {
    serve_http1(fd);
  }
}

Asked MatrixServer::asked_of(const std::string& head, const std::string& body) const {
  Asked asked;
  const auto space = head.find(' ');
  asked.path = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
  asked.key = field_of(head, "authorization");
  asked.stream = body.find("\"stream\":true") != std::string::npos;
  asked.elsewhere = "http://127.0.0.1:" + std::to_string(second_port_);
  return asked;
}

Script MatrixServer::answer_to(const Asked& asked, bool post, int on_connection) {
  if (!post) {
    if (rule_.which == "models") return script_of(rule_, asked);
    return {{Deed::send, models_answer(asked.path)}};
  }
  const int number = ++posts_;
  if (rule_.phase == "http2") return healthy_script(rule_, asked);
  const std::string& which = rule_.which;
  const bool from = which.ends_with('+');
  const bool wrong = which.empty() || (which == "reused" && on_connection > 1) ||
                     (std::isdigit(static_cast<unsigned char>(which[0])) != 0 &&
                      (from ? number >= std::stoi(which) : number == std::stoi(which)));
  return wrong ? script_of(rule_, asked) : healthy_script(rule_, asked);
}

void MatrixServer::serve_http1(int fd) {
  std::string bytes;
  for (int on_connection = 1;; ++on_connection) {
    auto request = take_request(bytes);
    while (!request) {
      if (!wait_for(fd, 60'000) || !read_some(fd, bytes)) return;
      request = take_request(bytes);
    }
    const Asked asked = asked_of(request->head, request->body);
    if (!follow(fd, answer_to(asked, request->head.starts_with("POST"), on_connection))) return;
  }
}

void MatrixServer::serve_http2(int fd) {
  constexpr std::size_t preface = 24;  // "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  std::string bytes;
  while (bytes.size() < preface) {
    if (!wait_for(fd, 60'000) || !read_some(fd, bytes)) return;
  }
  bytes.erase(0, preface);
  const bool greets = rule_.phase != "http2";
  if (!greets && !follow(fd, connection_script(rule_))) return;
  if (greets && !send_all(fd, frame(kSettings, 0, 0, ""))) return;
  std::string body;
  for (int on_connection = 1;;) {
    auto next = take_frame(bytes);
    while (!next) {
      if (!wait_for(fd, 60'000) || !read_some(fd, bytes)) return;
      next = take_frame(bytes);
    }
    if (next->type == kSettings && (next->flags & kAck) == 0) send_all(fd, frame(kSettings, kAck, 0, ""));
    if (next->type == kPing && (next->flags & kAck) == 0) send_all(fd, frame(kPing, kAck, 0, next->payload));
    if (next->type == kData) body += next->payload;
    const bool ends = (next->type == kData || next->type == kHeaders) && (next->flags & kEndStream) != 0;
    if (!ends) continue;
    Asked asked = asked_of("POST / ", body);
    asked.stream_id = next->stream;
    body.clear();
    if (!follow(fd, answer_to(asked, true, on_connection++))) return;
  }
}

bool MatrixServer::follow(int fd, const Script& script) {
  for (const auto& step : script) {
    switch (step.deed) {
      case Deed::send:
        if (!send_all(fd, step.bytes)) return false;
        break;
      case Deed::bytes:
        for (const char byte : step.bytes)
          if (!send_all(fd, std::string(1, byte))) return false;
        break;
      case Deed::drip:
      case Deed::flood:
        return repeat(fd, step);
      case Deed::stall:
        if (rule_.http2() && rule_.phase != "http2")
          return true;  // the other streams of the connection go on
        hold(fd);
        return false;
      case Deed::reset:
        close_with_reset(fd);
        [[fallthrough]];
      case Deed::close:
        std::this_thread::sleep_for(kEndPause);
        return false;
    }
  }
  return true;
}

// Until the peer is gone.
bool MatrixServer::repeat(int fd, const Step& step) {
  while (!stop_) {
    if (step.deed == Deed::flood) {
      if (!send_all(fd, step.bytes)) return false;
      std::this_thread::sleep_for(kFloodPause);
      continue;
    }
    for (const char byte : step.bytes) {
      if (stop_ || !send_all(fd, std::string(1, byte))) return false;
      std::this_thread::sleep_for(kDripPause);
    }
  }
  return false;
}

}  // namespace infermeter::faults
