// How a libcurl handle is set up for a target, and what libcurl's results mean. Used by curl_transport.cpp
// alone.
#pragma once

#include <curl/curl.h>

#include <string>

#include "infermeter/io/curl_transport.hpp"

namespace infermeter {

/// Bytes libcurl reads at once at most; also how far a late client looks ahead for the last arrival.
inline constexpr std::size_t kReadSize = 16 * 1024;

/// All that does not change from request to request. Throws UsageError naming the option that libcurl
/// refuses.
void set_connection_options(CURL* easy, const TransportOptions& options);

struct TransferState {
  bool sent = false;      // the request was written
  bool answered = false;  // a response byte came
  bool reused = false;    // over a kept connection
};

Outcome transport_outcome(CURLcode code, const TransferState& state);
/// libcurl's words on a failure, or the system's where a connection failed and it told them.
std::string transport_message(CURLcode code, std::string_view connect_failure);

}  // namespace infermeter
