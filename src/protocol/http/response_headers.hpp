// What is kept of the headers of one response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/record.hpp"
#include "protocol/stream/server_timing.hpp"

namespace infermeter {

/// What a response's headers say of the server's limits: x-ratelimit-*, anthropic-ratelimit-*, ratelimit-*.
/// One per response.
class RateLimits {
 public:
  /// A header, if it is one of these; `name` in lower case. Bounded: a server cannot fill the records.
  void add(std::string_view name, std::string_view value);
  const HeaderValues& headers() const { return headers_; }
  /// Milliseconds until a request may pass again: the longest reset of the limits that are used up, else the
  /// shortest one of all; nothing where none is said. `date` is the response's, for resets that are instants.
  std::optional<std::int64_t> wait_ms(std::string_view date) const;

 private:
  bool used_up(std::string_view reset_name) const;

  HeaderValues headers_;
};

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
