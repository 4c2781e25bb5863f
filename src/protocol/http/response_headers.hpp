// The parts of one response's headers that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "infermeter/model/record.hpp"
#include "model/secrets/secrets.hpp"
#include "protocol/stream/server_timing.hpp"

namespace infermeter {

/// The server's limits from a response's headers: x-ratelimit-*, anthropic-ratelimit-*, ratelimit-*,
/// Mistral's (x-)ratelimitbysize-*, Together's x-tokenlimit-*. One per response.
class RateLimits {
 public:
  /// Takes a header if it is one of these; `name` in lower case. Bounded: a server cannot fill the records.
  void add(std::string_view name, std::string_view value, const Secrets& secrets = {});
  const HeaderValues& headers() const { return headers_; }
  /// Milliseconds until a request may be allowed again: the longest reset of the exhausted limits, else the
  /// shortest reset of all; nothing if no reset is given. `date` is the response's, for resets given as
  /// dates.
  std::optional<std::int64_t> wait_ms(std::string_view date) const;

 private:
  HeaderValues headers_;
};

class ResponseHeaders {
 public:
  ResponseHeaders() = default;
  /// Masked in the values that are kept.
  explicit ResponseHeaders(Secrets secrets) : secrets_(std::move(secrets)) {}
  /// Takes names in any case. A trailer after the body is treated like a header.
  void add(std::string_view name, std::string_view value);

  /// The content type is one JSON value per line.
  bool is_lines() const;
  bool compressed() const { return compressed_; }

  std::string content_type, retry_after, retry_after_ms, date;
  std::string request_id;  // the server's, under any header name
  ServerTiming timing;
  RateLimits limits;

 private:
  void add_request_id(std::string_view name, std::string_view value);

  Secrets secrets_;
  std::size_t request_id_rank_ = std::string_view::npos;
  bool compressed_ = false;
};

}  // namespace infermeter
