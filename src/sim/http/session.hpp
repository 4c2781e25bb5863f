// One client's connection: reads its requests in turn, passes them to the service and writes the answers,
// with one write per batch of events, because the cost per event affects every benchmark of a stream. One
// thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/http/request_reader.hpp"
#include "sim/http/service.hpp"

namespace infermeter::sim {

class HttpSession;

/// What all sessions share; outlives them.
struct SessionHost {
  Service& service;
  std::function<void()> rearm;  // the service's next due time may have changed
  std::function<void(const std::shared_ptr<HttpSession>&)> ended;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(SessionHost& host, boost::asio::ip::tcp::socket socket, std::uint64_t number);

  void start();
  /// Closes the connection in any state; the service drops its request.
  void drop();
  /// The connection has waited too long for its client.
  bool expired(Instant at) const { return deadline_ && at > *deadline_; }

 private:
  void read();
  void on_request(HttpRequest request);
  void on_failure(const ReadFailure& failure);
  void answer(std::shared_ptr<Reply> reply);
  void watch();
  void on_readable(std::uint64_t turn);
  void flush();
  void wait_writable();
  void finish();
  void shut_down();
  void drain();
  void release_reply();

  SessionHost& host_;
  boost::asio::ip::tcp::socket socket_;
  std::uint64_t number_;
  RequestReader reader_;
  std::shared_ptr<Reply> reply_;
  std::uint64_t requests_ = 0;
  bool waiting_to_write_ = false;
  std::optional<Instant> deadline_;
  std::vector<char> unwanted_;  // buffer for bytes that a client still sends while its connection is closed
};

}  // namespace infermeter::sim
