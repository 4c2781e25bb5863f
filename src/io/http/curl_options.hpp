// How a libcurl handle is set up for a target, and what libcurl's results mean. Used by curl_transport.cpp
// alone.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

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

/// A header list whose first lines are the request's own; the target's follow, but for those that the request
/// overrules.
class HeaderList {
 public:
  /// `shared_list` holds `shared`; both outlive the use of `list`.
  void set(std::vector<std::string> own, const std::vector<std::string>& shared, curl_slist* shared_list);
  curl_slist* list() { return list_; }

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
  curl_slist* list_ = nullptr;
};

/// libcurl hands out any idle connection to the same host. It tells hosts apart by where it connects to
/// (CURLOPT_CONNECT_TO), so a made-up name per conversation, resolved to the server's own address, gives each
/// a connection of its own; Host header and TLS name stay the server's.
class OwnConnection {
 public:
  /// An empty key lets the handle take any connection. `resolve`: host:port:address entries of the target.
  void set(CURL* easy, const std::string& url, const std::string& key,
           const std::vector<std::string>& resolve, curl_slist* resolve_list);

 private:
  std::string connect_to_, address_;
  curl_slist connect_node_{}, address_node_{};
  bool set_ = false;
};

}  // namespace infermeter
