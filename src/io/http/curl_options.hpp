// Sets up a libcurl handle for a target, and interprets libcurl's results. Used by curl_transport.cpp only.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

#include "io/http/curl_transport.hpp"

namespace infermeter {

/// Maximum bytes per read by libcurl; also how far a late client looks ahead for the last arrival.
inline constexpr std::size_t kReadSize = 16 * 1024;

/// Sets every option that is the same for all requests. Throws UsageError naming the option that libcurl
/// rejects.
void set_connection_options(CURL* easy, const TransportOptions& options);

struct TransferState {
  bool sent = false;      // the request was written
  bool answered = false;  // a response byte came
  bool reused = false;    // over a kept connection
};

Outcome transport_outcome(CURLcode code, const TransferState& state);
/// The error message: the system's message if a connection failed, else libcurl's error buffer, else its text
/// for the code.
std::string transport_message(CURLcode code, std::string_view connect_failure, std::string_view curl_words);

/// A header list that begins with the request's own lines; the target's follow, except those that the request
/// replaces.
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

/// libcurl reuses any idle connection to the same host. It distinguishes hosts by the address that it
/// connects to (CURLOPT_CONNECT_TO), so a made-up name per conversation, resolved to the server's address,
/// gives each conversation its own connection; Host header and TLS name stay the server's.
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
