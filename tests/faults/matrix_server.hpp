// A server that follows a rule, on a port of 127.0.0.1 that the kernel chooses. One thread accepts, one per
// connection answers; the destructor ends all of them. Throws std::runtime_error if there is no port, and
// std::invalid_argument at a fault that does not exist.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rule.hpp"
#include "script.hpp"

namespace infermeter::faults {

class MatrixServer {
 public:
  explicit MatrixServer(Rule rule);
  ~MatrixServer();
  MatrixServer(const MatrixServer&) = delete;
  MatrixServer& operator=(const MatrixServer&) = delete;

  /// With the endpoint's path.
  std::string url() const;
  /// POST requests that were read whole.
  int posts() const { return posts_; }
  /// Connections to the second server, to which redirects point.
  int elsewhere() const { return elsewhere_; }

 private:
  void accept_all();
  void serve(int fd);
  void serve_http1(int fd);
  void serve_http2(int fd);
  bool is_closed() const;  // no connection comes to be
  void fill_backlog();
  Asked asked_of(const std::string& head, const std::string& body) const;
  Script answer_to(const Asked& asked, bool post, int on_connection);
  bool follow(int fd, const Script& script);  // false: the connection is over
  bool repeat(int fd, const Step& step);
  bool wait_for(int fd, int milliseconds) const;  // false: nothing came, or the server stops
  bool send_all(int fd, const std::string& bytes) const;
  void hold(int fd) const;  // until the peer is gone

  Rule rule_;
  int port_ = 0, second_port_ = 0;
  int listener_, second_;
  std::atomic<int> posts_{0}, elsewhere_{0};
  std::atomic<bool> stop_{false};
  std::vector<int> backlog_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace infermeter::faults
