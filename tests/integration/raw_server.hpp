// A server of a few lines for transport tests: one thread accepts, one per connection runs the test's own
// script on the bare socket. Port 0; every wait is bounded.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace infermeter {

/// Reads one request (head, and a body by Content-Length); empty when the peer closed or 10 s passed.
inline std::string read_request(int fd) {
  std::string text;
  char buffer[4096];
  const auto whole = [&] {
    const auto head = text.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const auto field = text.find("Content-Length: ");
    const std::size_t body =
        field == std::string::npos || field > head ? 0 : std::stoul(text.substr(field + 16));
    return text.size() >= head + 4 + body;
  };
  while (!whole()) {
    pollfd p{fd, POLLIN, 0};
    if (::poll(&p, 1, 10'000) <= 0) return {};
    const ssize_t n = ::recv(fd, buffer, sizeof(buffer), 0);
    if (n <= 0) return {};
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

inline void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::send(fd, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

/// RST instead of FIN at close.
inline void close_with_reset(int fd) {
  const linger reset{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

class RawServer {
 public:
  using Script = std::function<void(int fd)>;  // runs once per connection; the socket is closed behind it

  explicit RawServer(Script script, const std::string& unix_path = {}) : script_(std::move(script)) {
    if (unix_path.empty()) {
      listen_on_loopback();
    } else {
      listen_on_path(unix_path);
    }
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    stop_ = true;
    acceptor_.join();
    for (auto& t : connections_) t.join();
    ::close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1/chat/completions"; }
  int port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  void listen_on_loopback() {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    ::listen(listener_, 64);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }
  void listen_on_path(const std::string& path) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ::unlink(path.c_str());
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    ::listen(listener_, 64);
  }
  void accept_all() {
    while (!stop_) {
      pollfd p{listener_, POLLIN, 0};
      if (::poll(&p, 1, 50) <= 0) continue;
      const int fd = ::accept(listener_, nullptr, nullptr);
      const int one = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
      ++accepted_;
      connections_.emplace_back([this, fd] {
        script_(fd);
        ::close(fd);
      });
    }
  }

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> accepted_{0};
  std::atomic<bool> stop_{false};
  std::thread acceptor_;
  std::vector<std::thread> connections_;
};

}  // namespace infermeter
