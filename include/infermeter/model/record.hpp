// The record of one request: every instant of its timeline, counts and class. One line of requests.jsonl. A
// plain value; every figure of a run is computed from records and can be recomputed from the file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/names.hpp"
#include "infermeter/model/outcome.hpp"

namespace infermeter {

/// Microseconds since the run's start, rounded down; nothing where the instant did not happen.
using Micros = std::optional<std::int64_t>;

/// `ramp`: while the load changed (--stages); kept separate like the warm-up.
enum class Phase : std::uint8_t { warmup, ramp, measured };
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<Phase>{"warmup", "ramp", "measured"};

/// `mixed`: several answers that differ; never in one record.
enum class Reasoning : std::uint8_t { none, streamed, hidden, mixed };
template <>
inline constexpr std::array<std::string_view, 4> kNamesOf<Reasoning>{"none", "streamed", "hidden", "mixed"};

/// The source of token counts, best first (docs/metrics.md): usage at the end, differences of continuous
/// usage, lengths of token_ids or logprobs, or none of these (then they are events, never called tokens).
/// `mixed`: several answers that differ; never in one record.
enum class TokenSource : std::uint8_t { usage, continuous_usage, token_ids, events, mixed };
template <>
inline constexpr std::array<std::string_view, 5> kNamesOf<TokenSource>{"usage", "continuous_usage",
                                                                       "token_ids", "events", "mixed"};

/// When bytes arrived and how exact that time is. Bytes of one read (one peek of a readable socket) have the
/// same `read_id`; where the kernel kept them apart, each piece of it has its own times.
struct ReadStamp {
  std::uint64_t read_id = 0;  // differs from read to read of one connection
  Instant arrival;            // arrival of the read's first unread bytes: that of its first event
  /// Time by which its last bytes had certainly arrived: that of its further events. In a prompt read it
  /// equals `arrival`.
  Instant last_arrival;
  /// None of these bytes arrived before: the socket was seen empty then.
  Instant earliest = Instant::max();
  /// The kernel's stamp is that of the last of these bytes: exact for the one event that ends with them.
  bool exact = false;
  nanoseconds loop_delay{};  // epoll_wait's return → this peek: the loop's own lateness
  nanoseconds lag{};         // clock at the callback − arrival: client_lag
  bool kernel = false;       // false: the clock after the read, because there was no kernel stamp
};

/// Counts of max(loop_delay, lag) per read, in quarter-octave buckets of microseconds, so that a percentile
/// over all reads of a run can be computed from records: bucket b holds (2^((b−1)/4), 2^(b/4)] µs, bucket 0
/// all ≤ 1 µs.
class LagHistogram {
 public:
  static constexpr std::size_t kBuckets = 96;  // up to 2^23.75 µs = 14 s, the last one open
  void add(nanoseconds lag);
  void add_bucket(std::size_t bucket, std::uint32_t count);
  void merge(const LagHistogram& other);
  std::uint64_t total() const;
  /// The upper edge, in microseconds, of the bucket in which the share q of the reads is reached; 0 if empty.
  double quantile_us(double q) const;
  const std::array<std::uint32_t, kBuckets>& counts() const { return counts_; }

 private:
  std::array<std::uint32_t, kBuckets> counts_{};
};

/// Durations by the server's own clock, in milliseconds (docs/vendors.md).
struct ServerTimes {
  std::optional<double> queue_ms;    // waited before its prefill began
  std::optional<double> prefill_ms;  // from then to the first token
  std::optional<double> decode_ms;   // from the first token to the last
  std::optional<double> ttft_ms;     // from its arrival to the first token, with the queue
  std::string from;                  // "vllm metrics", "groq usage", …; empty: none
  bool any() const { return queue_ms || prefill_ms || decode_ms || ttft_ms; }
};

/// What the events of a stream show about their tokens. Kept only where N alone does not say how many tokens
/// each event carried (docs/metrics.md, "Speed of a stream"). Of all choices together.
struct EventEvidence {
  /// Events without text, each of which may be a token: before the first token, until the last one, and
  /// after.
  std::uint32_t bare_before = 0, bare_between = 0, bare_after = 0;
  std::uint32_t text_bytes = 0;    // of the token-bearing events; 0: not known
  std::uint32_t first_bytes = 0;   // of the first of them
  std::uint32_t spaced = 0;        // pieces of text with a space
  std::uint32_t several = 0;       // pieces with a space between two other characters: of more than one token
  std::uint32_t first_tokens = 0;  // tokens of the first event by the server's count, where gap_tokens lacks
};

/// Header names in lower case and values, as received.
using HeaderValues = std::vector<std::pair<std::string, std::string>>;

/// A part of a value that most such values do not have: it takes a pointer's size until it is written, and
/// behaves like the T that it holds. Copies are deep, and one that was never written reads as T{}. Must not
/// be read while another thread writes it.
template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Rare() = default;

  const T& operator*() const {
    static const T none{};
    return value_ ? *value_ : none;
  }
  const T* operator->() const { return &**this; }
  /// Creates it if necessary.
  T& write() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

/// An event that may have arrived before its recorded instant.
struct EarlyArrival {
  std::uint32_t event = 0;  // token-bearing event, counted from 0
  std::uint32_t by_us = 0;  // at most
  bool operator==(const EarlyArrival&) const = default;
};

struct RequestRecord {
  std::uint64_t id = 0;
  std::uint32_t point = 0;   // load point of a sweep
  std::uint32_t target = 0;  // index into the run's targets
  std::uint32_t worker = 0;
  Phase phase = Phase::measured;
  Reasoning reasoning = Reasoning::none;
  TokenSource token_source = TokenSource::events;
  std::uint32_t traffic_class = 0;  // index into the run's classes
  std::uint32_t tries = 1;          // --retries: 2 is the first retry; `intended` stays that of the first try
  std::optional<std::uint64_t> conversation;
  std::uint32_t turn = 0;          // 0-based, within its conversation
  std::uint32_t prefix_group = 0;  // 1 …; 0: none
  std::uint32_t repeat = 0;        // how many times the same prompt was sent before
  std::uint32_t asked_input_tokens = 0, asked_output_tokens = 0;  // 0: not known
  std::uint32_t replica = 0;                                      // which of the target's URLs
  std::string label;                                              // the data file's own id

  Micros intended_us, started_us, dns_us, connected_us, tls_us, sent_us, uploaded_us, headers_us,
      first_byte_us;
  Micros first_event_us;  // first event of any kind, even with only the role
  Micros first_token_us, first_output_us, last_token_us, end_us;

  Outcome outcome = Outcome::ok;
  int status = 0;  // HTTP status, 0 if none came
  Flags flags;
  /// The error text of the server or the transport, at most 1 kB, one line; empty when ok, unless the flag
  /// odd_event says that it quotes an event.
  std::string error;
  std::optional<std::int64_t> retry_after_ms;
  std::optional<std::int64_t> longest_retry_after_ms;  // of all tries

  std::uint32_t events = 0;  // token-bearing events
  std::uint32_t packed = 0;  // of these: shared a read with another event, client prompt
  std::uint32_t late = 0;    // of these: shared a read while the client was ≥ 1 ms late
  std::uint32_t reads = 0;
  std::uint32_t unstamped_reads = 0;
  std::uint32_t limited_tries = 0;  // answers 429 and 503 before this try
  std::int64_t lag_max_us = 0;
  std::int64_t loop_delay_max_us = 0;
  LagHistogram lags;

  std::optional<std::int64_t> items;  // embeddings: vectors in the answer
  std::optional<double> cost;         // the server's own usage.cost
  std::optional<std::int64_t> prompt_tokens, output_tokens, reasoning_tokens, cached_tokens;
  std::optional<std::int64_t> cache_write_tokens;  // of the prompt: written to the server's cache
  /// Output tokens that no event carried (hidden reasoning, rejected predictions): tpot, tps and itl exclude
  /// them.
  std::optional<std::int64_t> unstreamed_tokens;
  std::string finish_reason;       // of the first choice that has one; empty if none
  std::uint64_t bytes = 0;         // of the response body as received from the socket's TLS or plain layer
  std::uint64_t output_chars = 0;  // visible characters (code points)
  std::string usage;               // the server's usage object as JSON text, or empty
  std::string server;              // its own timings as JSON text, or empty
  Rare<ServerTimes> server_times;  // the same, normalised: one meaning and unit for all servers
  Rare<EventEvidence> evidence;
  std::string server_model, system_fingerprint, server_request_id;
  Rare<HeaderValues> rate_limits;  // its x-ratelimit-* headers and those like them

  /// Differences of the rounded arrival offsets of neighbouring token-bearing events (k − 1 of them for k
  /// events); with n > 1 choices in order of arrival, and `event_choice` gives each event's choice.
  std::vector<std::uint32_t> gaps_us;
  std::vector<std::uint32_t> gap_tokens;   // one per token-bearing event; empty: all are 1, or unknown
  std::vector<std::uint8_t> event_choice;  // one per token-bearing event; empty: all are choice 0
  /// The token-bearing events that may have arrived earlier, in order; the recorded instant of any other is
  /// exact. Without kept gaps of the first and the last event only. Absent where nothing was read, and in
  /// records of older versions: not known.
  std::optional<std::vector<EarlyArrival>> early_us;
  std::uint32_t end_early_us = 0;  // the end may have come earlier by this much
  std::string text;                // the output, with --save-text
};

/// Moves every instant of its timeline by this much, onto another run's origin.
void shift_instants(RequestRecord& record, std::int64_t by_us);

}  // namespace infermeter
