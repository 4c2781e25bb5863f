// How requests reach a server: the one interface between the load generator and the network, so that tests
// can put a fake server in virtual time behind it. One thread owns a transport and everything it calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/outcome.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

struct HttpRequest {
  std::string url;
  std::string body;        // empty: GET, else POST with JSON
  std::string request_id;  // X-Request-Id; empty: none
  std::vector<std::string> headers =
      {};  // whole lines beside the transport's own; secrets perhaps among them
  /// Requests of one key share a connection that no other uses (--session-connection); empty: any.
  std::string connection_key = {};
};

/// How the connection came about: ends of its phases, absent on a reused one.
struct ConnectionTimes {
  bool reused = false;
  std::optional<Instant> dns, connected, tls;
};

/// Receives one response. Calls come in order, from within `Transport::poll` only; they must not call the
/// transport (mark what is to be done and do it after `poll`).
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  /// Just before the first request byte is written. A second call: the kept connection had died and the
  /// transport repeats the request on a fresh one (the only retry that happens unasked).
  virtual void on_sent(Instant at, const ConnectionTimes& times) = 0;
  virtual void on_uploaded(Instant at) = 0;
  virtual void on_status(int status, Instant arrival) = 0;
  virtual void on_header(std::string_view name, std::string_view value) = 0;
  virtual void on_body(std::string_view bytes, const ReadStamp& stamp) = 0;
  /// The last call. `outcome` is ok for a clean end, else connect, connect_timeout, dns, tls,
  /// stale_connection or truncated, with the transport's words.
  virtual void on_end(Outcome outcome, std::string_view message, Instant at) = 0;
};

using TransferId = std::uint64_t;

class Transport {
 public:
  virtual ~Transport() = default;
  /// Begins a transfer; the sink must live until `on_end` or `cancel`.
  virtual TransferId start(HttpRequest request, ResponseSink& sink, Instant now) = 0;
  /// Ends it at once (HTTP/1: closes the connection, which frees the server's slot). No further call to the
  /// sink.
  virtual void cancel(TransferId id) = 0;
  /// Waits for the network until `deadline` at most, hands out what happened, and returns the time.
  virtual Instant poll(Instant deadline) = 0;
};

}  // namespace infermeter
