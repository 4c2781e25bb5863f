// Reads one HTTP/1.1 request after the other from a socket, and knows when the kernel received each. One
// thread; callbacks run in the socket's executor.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "sim/http/request.hpp"

namespace infermeter::sim {

/// Why no request was read: the status that says so to the client, or 0 where the connection is gone.
struct ReadFailure {
  int status = 0;
  std::string message;
};

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

}  // namespace infermeter::sim
