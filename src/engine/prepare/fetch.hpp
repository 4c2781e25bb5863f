// A single blocking request. For models, version and readiness before a run, not for measuring.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "io/http/transport.hpp"

namespace infermeter {

struct HttpAnswer {
  Outcome outcome = Outcome::ok;  // the transport's outcome: ok, connect, dns, tls, timeout, interrupted, …
  std::string message;            // the transport's message on a failure
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // at most 4 MB
  ConnectionTimes connection;
  Instant started, sent, ended;
  std::string header(std::string_view name) const;  // empty if absent
};

/// Blocks until the answer is complete, `limit` has passed (outcome `timeout`) or `*interrupt` is set
/// (`interrupted`).
HttpAnswer fetch(Transport& transport, HttpRequest request, nanoseconds limit,
                 const std::atomic<bool>& interrupt);

}  // namespace infermeter
