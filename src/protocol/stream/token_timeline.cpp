#include "protocol/stream/token_timeline.hpp"

#include <algorithm>
#include <limits>

namespace infermeter {
namespace {

using std::chrono::milliseconds;
constexpr auto kLate = milliseconds(1);

// Samples beyond this grow on demand: a request for a million tokens seldom receives them.
constexpr std::uint32_t kReserveAtMost = 1u << 16;

std::int64_t whole_micros(nanoseconds d) { return std::chrono::floor<std::chrono::microseconds>(d).count(); }

std::uint32_t clamped(std::int64_t value) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, most));
}

// If the stamp is the clock after the read, the lag is unknown: only the loop's own delay is known.
nanoseconds lateness(const ReadStamp& stamp) {
  return stamp.kernel ? std::max(stamp.loop_delay, stamp.lag) : stamp.loop_delay;
}

}  // namespace

TokenTimeline::TokenTimeline(const StreamOptions& options, Instant origin, RequestRecord& record)
    : origin_(origin),
      record_(&record),
      reserve_(std::min(options.max_tokens, kReserveAtMost)),
      save_(options.save_gaps) {}

void TokenTimeline::begin_bytes(const ReadStamp& stamp) {
  begin_piece(stamp);
  if (record_->reads == 0 || stamp.read_id != read_.read_id) return begin_read(stamp);
  // The transport may report only now that more data had come in the same read.
  read_.arrival = stamp.arrival;
  read_.last_arrival = stamp.last_arrival;
  read_.earliest = stamp.earliest;
  read_.exact = stamp.exact;
}

void TokenTimeline::begin_piece(const ReadStamp& stamp) {
  piece_earliest_ = read_.exact ? read_.last_arrival : read_.earliest;
  if (stamp.read_id == read_.read_id && stamp.arrival == read_.arrival && stamp.exact == read_.exact) return;
  piece_events_ = 0;
  piece_tokens_from_ = record_->events;
}

// The lag of the read's first callback: in later ones it includes our own work on the read's bytes.
void TokenTimeline::begin_read(const ReadStamp& stamp) {
  read_ = stamp;
  late_read_ = lateness(stamp) >= kLate;
  read_events_ = read_token_events_ = read_tokens_ = 0;
  ++record_->reads;
  if (!record_->early_us) record_->early_us.emplace();
  if (!stamp.kernel) ++record_->unstamped_reads;
  record_->lags.add(lateness(stamp));
  record_->loop_delay_max_us = std::max(record_->loop_delay_max_us, whole_micros(stamp.loop_delay));
  if (stamp.kernel) record_->lag_max_us = std::max(record_->lag_max_us, whole_micros(stamp.lag));
}

Instant TokenTimeline::begin_event() {
  // The bytes of a late read arrived over a period: only its first event is known to have arrived at
  // `arrival`.
  latest_ = std::max(latest_, read_events_ > 0 ? read_.last_arrival : read_.arrival);
  if (++piece_events_ == 2 && read_.exact) doubt_piece();
  earliest_ = read_.exact && piece_events_ == 1 ? latest_ : std::min(latest_, read_.earliest);
  ++read_events_;
  event_counted_ = false;
  if (late_read_ && read_events_ == 2) record_->late += read_tokens_;
  return latest_;
}

// The stamp is that of the last bytes: only an event that is alone with them is known to have arrived then.
void TokenTimeline::doubt_piece() {
  for (std::uint32_t event = piece_tokens_from_; event < record_->events; ++event)
    keep_early(event, latest_ - std::min(latest_, read_.earliest));
}

nanoseconds TokenTimeline::early_at(Instant at) const {
  if (record_->reads == 0 || read_.exact || at > read_.last_arrival) return nanoseconds(0);
  return at - std::min(at, read_.earliest);
}

// Without kept gaps only the first and the last event are of use.
void TokenTimeline::keep_early(std::uint32_t event, nanoseconds by) {
  auto& early = *record_->early_us;
  if (!save_ && !early.empty() && early.back().event > 0) early.pop_back();
  const auto us = std::chrono::ceil<std::chrono::microseconds>(by).count();
  if (us > 0) early.push_back({event, clamped(us)});
}

// It does not share the current read.
Instant TokenTimeline::begin_event_before(Instant arrival) {
  latest_ = std::max(latest_, arrival);
  earliest_ = std::min(latest_, piece_earliest_);
  event_counted_ = true;
  return latest_;
}

void TokenTimeline::add_tokens(std::uint32_t choice, std::int64_t tokens, bool visible) {
  mark_shared();
  const std::int64_t arrival_us = micros(latest_);
  if (earliest_ < latest_ || !save_) keep_early(record_->events, latest_ - earliest_);
  keep_sample(choice, tokens, arrival_us);
  ++record_->events;
  if (!first_token_) {
    first_token_ = latest_;
    record_->first_token_us = arrival_us;
  }
  if (visible && !record_->first_output_us) record_->first_output_us = arrival_us;
  last_token_ = latest_;
  record_->last_token_us = arrival_us;
}

// Choices of one event arrived together because they are one event; only further events make a read shared.
void TokenTimeline::mark_shared() {
  if (!event_counted_) ++read_token_events_;
  const bool second_begins = !event_counted_ && read_token_events_ == 2;
  event_counted_ = true;
  if (late_read_) {
    if (read_events_ >= 2) ++record_->late;
  } else {
    if (second_begins) record_->packed += read_tokens_;
    if (read_token_events_ >= 2) ++record_->packed;
  }
  ++read_tokens_;
  if (!late_read_ && read_token_events_ >= 2) most_packed_ = std::max(most_packed_, read_tokens_);
}

void TokenTimeline::keep_sample(std::uint32_t choice, std::int64_t tokens, std::int64_t arrival_us) {
  if (tokens <= 0) tokens_known_ = false;
  tokens_ += clamped(tokens);
  if (record_->events == 0) first_tokens_ = clamped(tokens);
  if (!save_) return;
  if (record_->events == 0) record_->gaps_us.reserve(reserve_);
  if (record_->events > 0) record_->gaps_us.push_back(clamped(arrival_us - *record_->last_token_us));
  keep_gap_tokens(tokens);
  keep_choice(choice);
}

// Stored from the first event that does not carry exactly one: nearly all streams never need it.
void TokenTimeline::keep_gap_tokens(std::int64_t tokens) {
  auto& kept = record_->gap_tokens;
  if (!tokens_known_ || (kept.empty() && tokens == 1)) return;
  if (kept.empty()) {
    kept.reserve(reserve_);
    kept.assign(record_->events, 1);
  }
  kept.push_back(clamped(tokens));
}

void TokenTimeline::keep_choice(std::uint32_t choice) {
  auto& kept = record_->event_choice;
  if (kept.empty() && choice == 0) return;
  if (kept.empty()) {
    kept.reserve(reserve_);
    kept.assign(record_->events, 0);
  }
  kept.push_back(static_cast<std::uint8_t>(std::min<std::uint32_t>(choice, 255)));
}

void TokenTimeline::finish() {
  auto& flags = record_->flags;
  if (record_->packed > 0) flags.set(Flag::packed);
  if (record_->late > 0) flags.set(Flag::late);
  if (record_->unstamped_reads > 0 && record_->unstamped_reads < record_->reads) flags.set(Flag::unstamped);
  // METRICS.md, section 4, "it is a stream"
  constexpr std::int64_t least_tokens = 20;
  const std::int64_t tokens = std::max<std::int64_t>(record_->output_tokens.value_or(0), record_->events);
  const bool nearly_all = std::uint64_t{most_packed_} * 10 > std::uint64_t{record_->events} * 9;
  if (tokens >= least_tokens && nearly_all) flags.set(Flag::buffered_stream);
}

}  // namespace infermeter
