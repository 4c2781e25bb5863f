// What libcurl's result codes mean: the class of a failed transfer (docs/metrics.md, "Outcome classes") and
// one sentence that says what happened, with libcurl's own text behind it. Pure. Private to src/io/http.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/outcome.hpp"

namespace infermeter {

/// Where the bytes of a transfer go.
struct Route {
  std::string server;  // host:port, or the path of a unix socket
  std::string proxy;   // without its password; empty: none
};

/// How far a transfer had come when it failed, and what was heard of its connection.
struct TransferState {
  bool sent = false;        // the request was written
  bool answered = false;    // a response byte came
  bool head_ended = false;  // … and the blank line behind the head
  bool body = false;        // … behind the head
  bool reused = false;      // over a kept connection
  bool http2 = false;
  bool head_too_long = false;           // more than kLongestHead
  bool flooded = false;                 // ended by ActionWatch
  int connect_status = 0;               // the proxy's answer to CONNECT
  std::optional<std::uint32_t> goaway;  // error code of the GOAWAY frame that ended the connection
};

/// Head and trailer of an answer together, in bytes. libcurl's own limit (300 kB) is missing before 8.3.
inline constexpr std::size_t kLongestHead = std::size_t{256} * 1024;

struct TransportEnd {
  Outcome outcome = Outcome::ok;
  std::string message;
};

/// `system`: the system's message if a connection failed; `curl_words`: libcurl's error buffer. Both may be
/// empty.
TransportEnd transport_end(CURLcode code, const TransferState& state, const Route& route,
                           std::string_view system, std::string_view curl_words);

/// `text` with the URL of the proxy as it is shown; an empty proxy changes nothing.
std::string with_proxy_masked(std::string text, const std::string& proxy);

/// "ENHANCE_YOUR_CALM", or "error 99" for a code that RFC 9113 does not name.
std::string http2_error_name(std::uint32_t code);

}  // namespace infermeter
