// What is kept of the headers of one response.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/http/rate_limits.hpp"
#include "protocol/stream/server_timing.hpp"

namespace infermeter {

class ResponseHeaders {
 public:
  /// Names in any case. A trailer after the body is taken like a header.
  void add(std::string_view name, std::string_view value);

  /// Its content type says: one JSON value a line.
  bool is_lines() const;
  bool compressed() const { return compressed_; }

  std::string content_type, retry_after, retry_after_ms, date;
  std::string request_id;  // the server's, whatever it calls it
  ServerTiming timing;
  RateLimits limits;

 private:
  void add_request_id(std::string_view name, std::string_view value);

  std::size_t request_id_rank_ = std::string_view::npos;
  bool compressed_ = false;
};

}  // namespace infermeter
