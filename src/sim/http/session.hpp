// One client's connection: reads its requests in turn, passes them to the service and writes the answers,
// with one write per batch of events, because the cost per event affects every benchmark of a stream. One
// thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/http/service.hpp"

namespace infermeter::sim {

/// Why no request was read: the status to send to the client, or 0 if the connection is closed.
struct ReadFailure {
  int status = 0;
  std::string message;
};

/// Reads HTTP/1.1 requests one after the other from a socket, with the time at which the kernel received
/// each; callbacks run in the socket's executor.
class RequestReader {
 public:
  /// Called once; the request's views live until the next `read`.
  using Done = std::function<void(std::variant<HttpRequest, ReadFailure>)>;

  /// `socket` outlives it.
  explicit RequestReader(boost::asio::ip::tcp::socket& socket);
  ~RequestReader();
  /// `done` keeps the reader's owner alive until it is called or the socket is closed. One at a time.
  void read(Done done);

 private:
  struct State;
  void read_message(Done done);
  void read_body(Done done);
  HttpRequest request(Instant received) const;

  boost::asio::ip::tcp::socket& socket_;
  std::unique_ptr<State> state_;
};

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
