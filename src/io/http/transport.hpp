// Sends requests to a server: the only interface between the load generator and the network, so that tests
// can use a fake server in virtual time. One thread owns a transport and everything that it calls.
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
      {};  // whole lines in addition to the transport's own; may contain secrets
  /// Requests with the same key share a connection that no other requests use (--session-connection); empty:
  /// any.
  std::string connection_key = {};
};

/// How the connection was established: end times of its phases, absent on a reused one.
struct ConnectionTimes {
  bool reused = false;
  std::optional<Instant> dns, connected, tls;
};

/// Receives one response. Calls come in order, from within `Transport::poll` only; they must not call the
/// transport (record the action and perform it after `poll`).
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  /// Called just before the first request byte is written. A second call: the kept connection had died and
  /// the transport repeats the request on a fresh one (the only retry without an explicit option).
  virtual void on_sent(Instant at, const ConnectionTimes& times) = 0;
  virtual void on_uploaded(Instant at) = 0;
  virtual void on_status(int status, Instant arrival) = 0;
  virtual void on_header(std::string_view name, std::string_view value) = 0;
  virtual void on_body(std::string_view bytes, const ReadStamp& stamp) = 0;
  /// The last call. `outcome` is ok for a clean end, else connect, connect_timeout, dns, tls,
  /// client_limit, stale_connection or truncated, with the transport's message. `at`: where it is known, the
  /// arrival of the last byte of a clean end.
  virtual void on_end(Outcome outcome, std::string_view message, Instant at) = 0;
};

using TransferId = std::uint64_t;

class Transport {
 public:
  virtual ~Transport() = default;
  /// Begins a transfer; the sink must live until `on_end` or `cancel`.
  virtual TransferId start(HttpRequest request, ResponseSink& sink, Instant now) = 0;
  /// Ends it at once (HTTP/1: closes the connection, which frees the server's slot). The sink is not called
  /// again. Returns what the transfer waited for, if that is known and is not the answer.
  virtual std::string cancel(TransferId id) = 0;
  /// Waits for the network until `deadline` at most, delivers the events, and returns the time.
  virtual Instant poll(Instant deadline) = 0;
};

}  // namespace infermeter
