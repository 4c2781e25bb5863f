// What an HTTP answer that is no stream means: error bodies, refused fields, how long to wait. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/outcome.hpp"

namespace infermeter {

struct ErrorBody {
  std::string message;  // one line, at most 1 kB; HTML is named as such, never parsed as JSON
  std::vector<std::string> refused_fields;  // request fields that it names as unsupported, unknown or invalid
  bool html = false;
};

/// Reads the error body of a 4xx/5xx answer in every spelling of STREAMING.md.
ErrorBody read_error_body(int status, std::string_view body);

/// http_error, or param_rejected for a 400/422 that names a field of the request.
Outcome http_outcome(int status, const ErrorBody& body);

/// Milliseconds to wait, from Retry-After (seconds, a float, or an HTTP date against the server's Date) and
/// retry-after-ms (which wins); capped at 120 s, past dates give 0; nothing if absent or unreadable.
std::optional<std::int64_t> retry_after_ms(std::string_view retry_after, std::string_view retry_after_ms,
                                           std::string_view date);

/// Milliseconds until a limit is reset, from the value of an x-ratelimit-reset-* header in any of its forms:
/// a Go duration ("6m0s", "12ms"), seconds, Unix time, or RFC 3339 and HTTP dates (the last three against the
/// server's Date). Capped as above; nothing if unreadable.
std::optional<std::int64_t> reset_after_ms(std::string_view reset, std::string_view date);

}  // namespace infermeter
