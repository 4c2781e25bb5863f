// The lists that one request hands to libcurl beside those of its target: header lines, and the connection
// that is its conversation's own. Used by curl_transport.cpp alone.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

namespace infermeter {

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
