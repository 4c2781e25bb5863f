// The meaning of an HTTP answer that is not a stream: error bodies, rejected fields, how long to wait. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/outcome.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// A limit of output tokens that the server takes as a field, with a value that it refuses.
struct RefusedLimit {
  bool too_small = false, too_large = false;
  std::optional<std::uint32_t> least, most;  // as far as it says
};

struct ErrorBody {
  std::string message;  // one line, at most 1 kB; HTML is reported as such, never parsed as JSON
  std::vector<std::string>
      refused_fields;  // request fields that it reports as unsupported, unknown or invalid
  std::optional<RefusedLimit> refused_limit;
  bool html = false;
};

/// Reads the error body of a 4xx/5xx answer in every format listed in STREAMING.md. In its message secrets
/// are masked; `was_cut`: the body is only the beginning of the answer's.
ErrorBody read_error_body(int status, std::string_view body, const Secrets& secrets = {},
                          bool was_cut = false);

/// http_error, or param_rejected for a 400, 422 or 500 that names a field of the request as refused.
Outcome http_outcome(int status, const ErrorBody& body);

/// Milliseconds to wait, from Retry-After (seconds, a float, or an HTTP date relative to the server's Date)
/// and retry-after-ms (which wins); at most 120 s, 0 for dates in the past; nothing if absent or unreadable.
std::optional<std::int64_t> retry_after_ms(std::string_view retry_after, std::string_view retry_after_ms,
                                           std::string_view date);

/// Milliseconds until a limit is reset, from the value of an x-ratelimit-reset-* header in any of its
/// formats: a Go duration ("6m0s", "12ms"), seconds, Unix time, or RFC 3339 and HTTP dates (the last three
/// relative to the server's Date). At most 120 s, as above; nothing if unreadable.
std::optional<std::int64_t> reset_after_ms(std::string_view reset, std::string_view date);

}  // namespace infermeter
