#include "model/stream_speed.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {
namespace {

constexpr double kExact = 0.05;       // what the speed may be off: so many tokens elsewhere change nothing
constexpr double kRhythmEvents = 8;   // fewer events show no rhythm …
constexpr double kFewestInBurst = 3;  // … but may have come at once
constexpr double kBurstGapUs = 1000;  // mean gap of a burst …
constexpr double kBurstShare = 0.25;  // … and its length, of the TTFT: a stream of 128 tokens at 1,000 tok/s
                                      // is that short only behind a TTFT of half a second
constexpr double kServerSlower = 0.75;     // of the server's own time a token: less contradicts it …
constexpr double kServerAgrees = 0.85;     // … and from here on to 1 / this the two agree
constexpr double kLeastBytesPerToken = 2;  // prose has 3 to 5 in any script
constexpr double kFewestExpected = 5;      // events with several words, to conclude from
constexpr double kSingle = 0.2;            // of the expected ones: none of 5 comes by chance in 1 of 150
constexpr double kFewestBare = 4, kManyBare = 0.1;  // some servers send a few events of their own
constexpr double kLargeFirst = 0.2, kUneven = 2;    // the first event's share of the text, times an even one
constexpr double kLongTail = 0.1, kTailGaps = 3;    // of the stream's time, and of its mean gap

/// The time from the first to the last token, and the gaps in it.
struct Span {
  double us = 0, gaps = 0;
  double gap_us() const { return us / gaps; }
};

/// The server's own time per token: near that of the events, longer (they came faster than it decoded), or
/// shorter.
enum class ServerSays : std::uint8_t { nothing, same, longer, shorter };

ServerSays server_says(const RequestRecord& record, const TokenCounts& counts, const Span& span) {
  const double decode_us = record.server_times->decode_ms.value_or(0) * 1e3;
  const double later = counts.streamed - event_tokens(record, counts, 0);
  if (decode_us <= 0 || !counts.counted || counts.generated < kRhythmEvents || later <= 0 ||
      choice_count(record) > 1)
    return ServerSays::nothing;
  const double ratio = (span.us / later) / (decode_us / counts.generated);
  if (ratio < kServerSlower) return ServerSays::longer;
  if (ratio > 1 / kServerAgrees) return ServerSays::shorter;
  return ratio >= kServerAgrees ? ServerSays::same : ServerSays::nothing;
}

bool is_burst(const RequestRecord& record, const Span& span) {
  if (!record.sent_us || record.events < kFewestInBurst || span.gap_us() >= kBurstGapUs) return false;
  return span.us < kBurstShare * static_cast<double>(*record.first_token_us - *record.sent_us);
}

/// How many events should hold more than one word if N tokens are spread over k events and a share of
/// `spaced` / N tokens begins a word (binomial).
double expected_several(const EventEvidence& seen, double tokens, double events) {
  const double per_event = tokens / events;
  const double begins = std::min(0.95, seen.spaced / tokens);
  const double none = std::pow(1 - begins, per_event);
  const double one = per_event * begins * std::pow(1 - begins, per_event - 1);
  return events * std::max(0.0, 1 - none - one);
}

bool is_uneven(const EventEvidence& seen, double events) {
  const double share = static_cast<double>(seen.first_bytes) / static_cast<double>(seen.text_bytes);
  const double even = 1 / events;
  return share > kLargeFirst && share > kUneven * even && share - even > kExact * (1 - share);
}

bool has_tail(const RequestRecord& record, const Span& span) {
  if (!record.end_us) return false;
  const auto tail = static_cast<double>(*record.end_us - *record.last_token_us);
  return tail > kLongTail * span.us && tail > kTailGaps * span.gap_us();
}

/// Of an answer whose tokens are only known in sum, and that the server's times do not confirm.
SpeedDoubt doubt_of_spread(const RequestRecord& record, const TokenCounts& counts, const Span& span,
                           bool single_tokens) {
  const double n = counts.streamed, k = record.events;
  const double ends = 2 * static_cast<double>(choice_count(record));
  if (k - n > std::max(ends, kExact * k)) return SpeedDoubt::few_tokens;
  if (n - k <= kExact * n) return SpeedDoubt::none;
  const EventEvidence& seen = *record.evidence;
  const double bare = seen.bare_before + seen.bare_after;
  if (bare >= kFewestBare && bare >= kManyBare * (k + bare)) return SpeedDoubt::bare_events;
  if (seen.text_bytes > 0) {
    if (static_cast<double>(seen.text_bytes) < kLeastBytesPerToken * n) return SpeedDoubt::little_text;
    if (choice_count(record) == 1 && is_uneven(seen, k)) return SpeedDoubt::first_event;
    if (single_tokens || several_words(record, counts).too_few()) return SpeedDoubt::single_tokens;
  }
  return has_tail(record, span) ? SpeedDoubt::tail : SpeedDoubt::none;
}

}  // namespace

bool SeveralWords::too_few() const { return expected >= kFewestExpected && seen < kSingle * expected; }

SeveralWords several_words(const RequestRecord& record, const TokenCounts& counts) {
  const double n = counts.streamed, k = record.events;
  const EventEvidence& seen = *record.evidence;
  if (!counts.counted || counts.per_event_known || counts.first || n - k <= kExact * n) return {};
  return {expected_several(seen, n, k), static_cast<double>(seen.several)};
}

SpeedDoubt doubt_of_speed(const RequestRecord& record, const TokenCounts& counts, const SpeedEvidence& load) {
  if (record.flags.has(Flag::buffered_stream)) return SpeedDoubt::one_piece;
  if (record.events < 2 || !record.first_token_us || !record.last_token_us) return SpeedDoubt::none;
  const Span span{static_cast<double>(*record.last_token_us - *record.first_token_us),
                  static_cast<double>(record.events - 1)};
  if (span.us <= 0) return record.events < kRhythmEvents ? SpeedDoubt::none : SpeedDoubt::one_piece;
  const auto server = server_says(record, counts, span);
  if (server == ServerSays::same) return SpeedDoubt::none;
  if (server == ServerSays::longer) return SpeedDoubt::server_time;
  const bool decoded = server == ServerSays::shorter;  // within the time of the events
  if (load.generation == GenerationTime::in_ttft && !decoded) return SpeedDoubt::in_ttft;
  if (load.generation == GenerationTime::unknown && !decoded && is_burst(record, span))
    return SpeedDoubt::burst;
  if (!counts.counted || counts.per_event_known || counts.first) return SpeedDoubt::none;
  return doubt_of_spread(record, counts, span, load.single_tokens);
}

std::string_view words_for(SpeedDoubt doubt) {
  switch (doubt) {
    case SpeedDoubt::one_piece:
      return "came in one piece";
    case SpeedDoubt::burst:
      return "may have come in a burst after the generation: they took less than a quarter of their TTFT, at "
             "over 1,000 events a second";
    case SpeedDoubt::in_ttft:
      return "were generated before their first token, at least in part: TTFT grows with the length of the "
             "answer";
    case SpeedDoubt::server_time:
      return "took less time between the first and the last token than the server's own time a token allows";
    case SpeedDoubt::bare_events:
      return "have events without text before or after the text, which may be tokens or not";
    case SpeedDoubt::single_tokens:
      return "have about one token an event by their words, but more tokens are counted: the others were "
             "generated before or after the text";
    case SpeedDoubt::little_text:
      return "have too little text for the tokens that are counted: most were generated before or after it";
    case SpeedDoubt::first_event:
      return "have a large part of the text in the first event, whose tokens were generated before it";
    case SpeedDoubt::tail:
      return "went on long after the last token, with more tokens counted than events";
    case SpeedDoubt::few_tokens:
      return "have fewer tokens counted than events";
    case SpeedDoubt::none:
      break;
  }
  return {};
}

}  // namespace infermeter
