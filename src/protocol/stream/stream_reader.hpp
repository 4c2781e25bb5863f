// Turns one HTTP response, as its bytes arrive, into the record of its request: SSE events → chunks → tokens,
// usage, finish, outcome. No I/O, no clock: every call receives its time. One thread at a time; the
// `ChunkParser` scratch is shared by all readers of a thread. In steady state (capacity reserved, no
// --save-text) an event allocates nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/record.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// Scratch of the JSON parser, one per thread.
class ChunkParser;
struct ChunkParserDeleter {
  void operator()(ChunkParser*) const;
};
using ChunkParserPtr = std::unique_ptr<ChunkParser, ChunkParserDeleter>;
ChunkParserPtr make_chunk_parser();

struct StreamOptions {
  Endpoint endpoint = Endpoint::chat;
  bool stream = true;            // false: a non-streamed body was requested, and is `ok`
  std::uint32_t max_tokens = 0;  // requested; sizes the samples and detects `limit_ignored`; 0: unknown
  /// That the body allows, of all choices together; 0: it has no limit. The answer's bounds follow from it.
  std::uint64_t most_tokens = 0;
  std::uint32_t items = 1;  // embeddings: texts of one request
  bool save_gaps = true;    // keep gaps in the record (they are measured in any case)
  bool save_text = false;
  Secrets secrets;  // masked in every text of the record, before it is cut
};

class StreamReader {
 public:
  /// Fills `record` (not owned; must outlive the reader's use); offsets count from `origin`.
  StreamReader(ChunkParser& parser, const StreamOptions& options, Instant origin, RequestRecord& record);
  ~StreamReader();
  StreamReader(StreamReader&&) noexcept;

  /// The status line. A second call (100-continue, a retried transfer) starts a new response.
  void on_status(int status, Instant arrival);
  /// One response header; names in any case. Kept: content type and encoding, Retry-After and similar
  /// headers, Date, the server's request id.
  void on_header(std::string_view name, std::string_view value);
  /// Body bytes of one callback; several callbacks may share one read (same `read_id`).
  void on_body(std::string_view bytes, const ReadStamp& stamp);
  /// The transfer is over. `transport` is ok for a clean end, else the outcome from the transport or the load
  /// generator (connect, dns, tls, truncated, idle_timeout, first_token_timeout, timeout, aborted,
  /// interrupted, …); both decide the record's outcome: a stream that had reached [DONE] is ok, however the
  /// socket ended, and so is one whose finish reason was followed by silence (idle_timeout). Such a record
  /// ends at its last event; any other ends at `at`. Later calls do nothing.
  void on_end(Outcome transport, std::string_view message, Instant at);

  /// The answer broke a bound (docs/metrics.md, "Bounds"): nothing more of it is read, and the transfer
  /// should be ended. The record's outcome says which, whatever on_end() is given.
  bool broken_off() const;
  /// A terminal event was seen: only the transport's end is still expected (for a short grace period).
  std::optional<Instant> terminal_at() const;
  /// For probes: some usage came; usage came with or after the finish.
  bool has_usage() const;
  bool has_final_usage() const;
  /// For the load generator's timeouts: the first and the latest token-bearing event, if any.
  std::optional<Instant> first_token() const;
  std::optional<Instant> last_token() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace infermeter
