// How a libcurl handle is set up for a target, and what libcurl's results mean. Used by curl_transport.cpp
// alone.
#pragma once

#include <curl/curl.h>

#include <string>

#include "io/http/curl_transport.hpp"

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
/// Why it failed: the system's words where a connection did, else what libcurl wrote into its error buffer,
/// else its words for the code.
std::string transport_message(CURLcode code, std::string_view connect_failure, std::string_view curl_words);

}  // namespace infermeter
