// How one request ended: its class, and flags that do not change the class (docs/metrics.md, "Outcome
// classes").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "infermeter/model/names.hpp"

namespace infermeter {

enum class Outcome : std::uint8_t {
  ok,
  content_filter,
  inband_error,  // an error event inside a 200 stream, or finish_reason "abort"
  http_error,    // the record's status says which
  truncated,     // the stream ended without a finish reason or terminal event
  idle_timeout,  // no bytes, or no token-bearing event, for too long
  first_token_timeout,
  empty_output,  // a whole answer without a single token
  empty_body,
  not_streamed,  // a stream was requested, one whole body came: E2E and tokens are valid
  protocol,      // bad JSON, wrong content
  connect,
  connect_timeout,
  dns,
  tls,
  stale_connection,  // a kept connection died before the first byte, twice
  param_rejected,    // 400/422 that names a field of the request
  timeout,           // the whole request took too long
  aborted,           // still open when the drain ended
  cancelled,         // by us, on purpose
  dropped,           // never sent: --on-cap drop
  client_limit,      // a limit of this machine or process: descriptors, local ports, memory, threads
  interrupted,       // Ctrl-C
};

template <>
inline constexpr std::array<std::string_view, 23> kNamesOf<Outcome>{"ok",
                                                                    "content_filter",
                                                                    "inband_error",
                                                                    "http_error",
                                                                    "truncated",
                                                                    "idle_timeout",
                                                                    "first_token_timeout",
                                                                    "empty_output",
                                                                    "empty_body",
                                                                    "not_streamed",
                                                                    "protocol",
                                                                    "connect",
                                                                    "connect_timeout",
                                                                    "dns",
                                                                    "tls",
                                                                    "stale_connection",
                                                                    "param_rejected",
                                                                    "timeout",
                                                                    "aborted",
                                                                    "cancelled",
                                                                    "dropped",
                                                                    "client_limit",
                                                                    "interrupted"};

/// The server asks for less load: 429, or 503 (overloaded or still loading).
constexpr bool is_rate_limit(int status) { return status == 429 || status == 503; }

/// The server never saw the request.
constexpr bool is_unsent(Outcome outcome) {
  return outcome == Outcome::dropped || outcome == Outcome::client_limit;
}

/// No good answer came, and not by our own doing: what the health of a target counts, 429 and 503 included.
bool is_failure(Outcome outcome);

/// Whether `--max-error-rate` counts it: a failure (above) that is neither a rate limit nor a whole answer.
bool is_error(Outcome outcome, int status);

enum class Flag : std::uint32_t {
  no_done = 1u << 0,  // no [DONE] or terminal event
  no_usage = 1u << 1,
  no_finish = 1u << 2,
  duplicate_finish = 1u << 3,
  data_after_done = 1u << 4,
  packed = 1u << 5,
  late = 1u << 6,
  stale_retry = 1u << 7,               // libcurl repeated it on a fresh connection; `sent` is the last try's
  unterminated_tail = 1u << 8,         // the last event had no blank line
  usage_excludes_reasoning = 1u << 9,  // reasoning was added to completion_tokens
  late_transport_idle = 1u << 10,      // the connection stayed open after [DONE]
  compressed = 1u << 11,
  buffered_stream = 1u << 12,  // over 90 % of its events came in one read
  limit_ignored = 1u << 13,    // more tokens than max_tokens allows
  end_marker = 1u << 14,       // an end-of-turn marker such as <|im_end|> was left in the text
  only_reasoning = 1u << 15,   // reasoning used all tokens: no visible text
  reused_connection = 1u << 16,
  zero_usage = 1u << 17,      // usage reported 0 completion tokens although there were token-bearing events
  unstamped = 1u << 18,       // some of its reads had no kernel stamp although the target uses them
  cancel_planned = 1u << 19,  // picked for --cancel-after: an ok answer with this flag ended before the cut
  odd_event = 1u << 20,       // one of its events could not be read; `error` quotes it
  /// The server counts tokens that no event carried: neither the first token's time nor the speed is known.
  uncarried_tokens = 1u << 21,
  odd_usage = 1u << 22,   // its counts cannot be true: they are left out, and its events are counted
  over_limit = 1u << 23,  // cut: it went on far beyond its limit of tokens
  odd_times = 1u << 24,   // the server's own times cannot be true: they are left out
};

std::string_view name(Flag flag);

/// A set of flags, ordered as declared.
class Flags {
 public:
  void set(Flag flag) { bits_ |= static_cast<std::uint32_t>(flag); }
  bool has(Flag flag) const { return (bits_ & static_cast<std::uint32_t>(flag)) != 0; }
  bool empty() const { return bits_ == 0; }
  std::vector<std::string_view> names() const;
  bool operator==(const Flags&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

std::optional<Flag> flag_from_name(std::string_view name);

}  // namespace infermeter
