// Reads HTTP/1.1 requests one after the other from a socket, with the time at which the kernel received each.
// One thread; callbacks run in the socket's executor.
#pragma once

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

/// One HTTP request. A plain value of views, which are valid during the call that receives it.
struct HttpRequest {
  Instant arrived{};   // from the kernel if known, else `received`; its arrival time at the engine
  Instant received{};  // the whole request was read
  std::string_view method, target, body, request_id;
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
  bool http_1_0 = false, keep_alive = true;
  std::uint64_t connection = 0;    // order in which it was accepted, from 0
  bool reused_connection = false;  // the connection has carried a request before

  /// The first header of that name, case-insensitive; empty if there is none.
  std::string_view header(std::string_view name) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    const auto same = [&](const auto& header) {
      return std::ranges::equal(header.first, name, {}, lower, lower);
    };
    const auto found = std::ranges::find_if(headers, same);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

/// Why no request was read: the status to send to the client, or 0 if the connection is closed.
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
