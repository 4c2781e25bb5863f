// HTTP over libcurl's multi-socket interface with the kernel's arrival stamps (docs/accuracy.md). One per
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "io/http/transport.hpp"

namespace infermeter {

struct TransportOptions {
  Target target;                     // TLS, proxy, resolve, unix socket, HTTP version, fresh connections
  std::vector<std::string> headers;  // whole lines, sent with each request; may contain secrets
  nanoseconds connect_timeout = std::chrono::seconds(10);
  std::uint32_t max_streams = 1;  // maximum number of concurrent transfers: sizes the connection pool
  bool kernel_timestamps = true;
  bool any_encoding = false;  // answers may come compressed, and are handed over decoded
};

class CurlTransport final : public Transport {
 public:
  /// Throws UsageError for options that libcurl rejects (a missing certificate file, for example).
  explicit CurlTransport(const TransportOptions& options);
  ~CurlTransport() override;
  TransferId start(HttpRequest request, ResponseSink& sink, Instant now) override;
  std::string cancel(TransferId id) override;
  Instant poll(Instant deadline) override;

  /// "libcurl/7.88.1 …"
  static std::string version();
  /// False for a libcurl that fails on the second request over one plain HTTP/2 connection: each request then
  /// opens its own.
  static bool reuses_plain_http2();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace infermeter
