// When tokens arrived: reads and their stamps → times, gaps, packed and late marks of a record (METRICS.md,
// section 1). One per response; one thread at a time; allocates only to grow.
#pragma once

#include <cstdint>
#include <optional>

#include "infermeter/model/record.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace infermeter {

class TokenTimeline {
 public:
  TokenTimeline(const StreamOptions& options, Instant origin, RequestRecord& record);

  /// The bytes of a callback begin; several callbacks of one read form one read.
  void begin_bytes(const ReadStamp& stamp);
  /// An event (not a heartbeat) is complete; returns its arrival, never before that of the previous event.
  Instant begin_event();
  /// The same for an event whose last byte came with an earlier read, which had arrived then.
  Instant begin_event_before(Instant arrival);
  /// The event carries tokens of this choice, `tokens` of them (0: unknown).
  void add_tokens(std::uint32_t choice, std::int64_t tokens, bool visible);
  /// After the last byte: the flags that need the whole response.
  void finish();

  /// Offset from the run's start, as records keep it.
  std::int64_t micros(Instant t) const { return micros_between(origin_, t); }
  Instant latest() const { return latest_; }
  /// The latest event may have arrived earlier by this much.
  nanoseconds latest_early() const { return latest_ - earliest_; }
  /// So may bytes of the current read that end at `at`.
  nanoseconds early_at(Instant at) const;
  /// Of the current read.
  Instant read_arrival() const { return read_.arrival; }
  bool tokens_known() const { return tokens_known_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint32_t first_tokens() const { return first_tokens_; }
  std::optional<Instant> first_token() const { return first_token_; }
  std::optional<Instant> last_token() const { return last_token_; }

 private:
  void begin_read(const ReadStamp& stamp);
  void begin_piece(const ReadStamp& stamp);
  void doubt_piece();
  void keep_early(std::uint32_t event, nanoseconds by);
  void mark_shared();
  void keep_sample(std::uint32_t choice, std::int64_t tokens, std::int64_t arrival_us);
  void keep_gap_tokens(std::int64_t tokens);
  void keep_choice(std::uint32_t choice);

  Instant origin_;
  RequestRecord* record_;
  std::uint32_t reserve_;
  bool save_;

  ReadStamp read_;  // the current read
  bool late_read_ = false;
  std::uint32_t read_events_ = 0;        // events of any kind that it completed
  std::uint32_t read_token_events_ = 0;  // of these, events with tokens
  std::uint32_t read_tokens_ = 0;        // the same, counted once per choice
  bool event_counted_ = false;
  std::uint32_t most_packed_ = 0;

  std::uint32_t piece_events_ = 0;           // events that the latest bytes with one stamp completed
  std::uint32_t piece_tokens_from_ = 0;      // token-bearing events before them
  Instant piece_earliest_ = Instant::max();  // of the bytes before the latest ones

  Instant latest_{};                   // arrival of the latest event
  Instant earliest_ = Instant::max();  // that it can have
  std::optional<Instant> first_token_, last_token_;
  bool tokens_known_ = true;
  std::uint32_t first_tokens_ = 0;  // of the first event
  std::uint64_t tokens_ = 0;
};

}  // namespace infermeter
