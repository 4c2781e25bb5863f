#include "protocol/stream/stream_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "infermeter/base/units.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/http/response_headers.hpp"
#include "protocol/stream/answer_bounds.hpp"
#include "protocol/stream/chunk.hpp"
#include "protocol/stream/classify.hpp"
#include "protocol/stream/event_fold.hpp"
#include "protocol/stream/server_timing.hpp"
#include "protocol/stream/sse_parser.hpp"
#include "protocol/stream/token_timeline.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kHeadBytes = 256;

// No time of the server's is longer than the request took here; clocks and roundings differ by less than a
// second.
double most_server_ms(const RequestRecord& record) {
  constexpr double slack_ms = 1000;
  if (!record.sent_us || !record.end_us) return kMostServerMs;
  return slack_ms + static_cast<double>(*record.end_us - *record.sent_us) / 1e3;
}

// The first byte that shows the kind of a body: neither white space nor part of a byte-order mark.
std::size_t significant(std::string_view bytes) {
  return std::min(bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), bytes.size());
}

/// One response from its status line to its end: detects what the body is (a stream, lines, one JSON object,
/// an HTML page, an error) and reads it accordingly. StreamReader begins a new one when a transfer is
/// retried.
class Response {
 public:
  /// Resets the record's fields of a response; `arrival` is that of the status line, if one came.
  Response(ChunkParser& parser, const StreamOptions& options, Instant origin, RequestRecord& record);
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  void on_status(int status, Instant arrival);
  ResponseHeaders& headers() { return headers_; }
  void on_body(std::string_view bytes, const ReadStamp& stamp);
  void on_end(Outcome transport, std::string_view message, Instant at);

  const EventFold& fold() const { return fold_; }
  bool broken_off() const { return broken_off_; }
  const TokenTimeline& timeline() const { return timeline_; }

 private:
  void clear_record();
  void read_body(std::string_view bytes);
  BodyKind kind_at(char first) const;
  void read_events(std::string_view bytes);
  void read_whole(std::string_view bytes);
  void read_error(std::string_view bytes);
  void judge_length();
  void break_off(Outcome outcome, std::string words);
  void turn_to_lines();
  bool is_unframed();
  void keep_head(std::string_view bytes, std::size_t limit);
  void finish_events();
  void keep_limits(RequestRecord& record) const;
  static void keep_server_times(RequestRecord& record);
  Instant ended_at(Outcome transport, Instant at) const;
  std::uint32_t end_early(Outcome transport, Instant at) const;

  StreamOptions options_;
  bool generates_;
  RequestRecord* record_;
  ResponseHeaders headers_;
  TokenTimeline timeline_;
  EventFold fold_;
  SseParser parser_;
  BodyKind kind_ = BodyKind::unknown;
  std::string held_;  // a non-streamed answer, an error body, or the beginning of a body that is not a stream
  bool first_line_judged_ = false;
  bool holding_ = false;  // a whole event waits for its blank line
  bool broken_off_ = false;
  Rare<Breach> breach_;  // without words: none
};

Response::Response(ChunkParser& parser, const StreamOptions& options, Instant origin, RequestRecord& record)
    : options_(options),
      generates_(traits_of(options.endpoint).generates),
      record_(&record),
      headers_(options.secrets),
      timeline_(options, origin, record),
      fold_(parser, options, timeline_, headers_.timing, record) {
  clear_record();
}

// Resets only the fields of a response; the capacity of the samples is kept.
void Response::clear_record() {
  auto& r = *record_;
  r.headers_us = r.first_byte_us = r.first_event_us = std::nullopt;
  r.first_token_us = r.first_output_us = r.last_token_us = r.end_us = std::nullopt;
  r.status = 0;
  r.events = r.packed = r.late = r.reads = r.unstamped_reads = 0;
  r.lag_max_us = r.loop_delay_max_us = 0;
  r.lags = {};
  r.bytes = 0;
  r.items.reset();
  r.finish_reason.clear();
  r.usage.clear();
  r.server_model.clear();
  r.system_fingerprint.clear();
  r.gaps_us.clear();
  r.gap_tokens.clear();
  r.event_choice.clear();
  r.early_us.reset();
  r.end_early_us = 0;
}

void Response::on_status(int status, Instant arrival) {
  record_->status = status;
  record_->headers_us = timeline_.micros(arrival);
  if (status >= 300) kind_ = BodyKind::error;
}

void Response::on_body(std::string_view bytes, const ReadStamp& stamp) {
  if (bytes.empty() || broken_off_) return;
  timeline_.begin_bytes(stamp);
  if (record_->bytes == 0) record_->first_byte_us = timeline_.micros(stamp.arrival);
  record_->bytes += bytes.size();
  read_body(bytes);
}

void Response::read_body(std::string_view bytes) {
  if (kind_ == BodyKind::unknown) {
    const std::size_t first = significant(bytes);
    if (first < bytes.size()) kind_ = kind_at(bytes[first]);
    if (kind_ == BodyKind::json || kind_ == BodyKind::html) {
      bytes.remove_prefix(first);
      held_.clear();  // white space and byte order mark of earlier reads
    }
  }
  switch (kind_) {
    case BodyKind::error:
    case BodyKind::html:
      return read_error(bytes);
    case BodyKind::json:
      return read_whole(bytes);
    default:
      return read_events(bytes);
  }
}

// The body decides, not the content type: streams come as text/plain or text/html, JSON as a stream.
BodyKind Response::kind_at(char first) const {
  if (first == '<') return BodyKind::html;
  return first == '{' || first == '[' ? BodyKind::json : BodyKind::events;
}

void Response::read_events(std::string_view bytes) {
  if (fold_.events() == 0) keep_head(bytes, kHeadBytes + options_.secrets.reach());
  parser_.feed(bytes);
  SseEvent event;
  while (!broken_off_ && parser_.next(event)) {
    fold_.take(event);
    judge_length();
  }
  const bool holds = parser_.holds_event();
  if (holds && !holding_) fold_.hold(timeline_.read_arrival());
  holding_ = holds;
  if (parser_.overflow()) break_off(Outcome::protocol, "an event of more than 16 MB");
}

// An answer far beyond its limit has no end that could be waited for.
void Response::judge_length() {
  const std::uint64_t most = most_events(options_);
  const bool beyond = record_->events >= most || fold_.events() >= most + kMostOtherEvents;
  if (!beyond || fold_.terminal()) return;
  record_->flags.set(Flag::over_limit);
  break_off(Outcome::truncated,
            options_.most_tokens > 0
                ? fmt::format("cut after {} events: the limit was {} tokens", format_count(fold_.events()),
                              format_count(options_.most_tokens))
                : fmt::format("cut after {} events", format_count(fold_.events())));
}

void Response::break_off(Outcome outcome, std::string words) {
  broken_off_ = true;
  if (!fold_.terminal()) breach_.write() = Breach{outcome, std::move(words)};
}

void Response::read_error(std::string_view bytes) {
  keep_head(bytes, kMostErrorBytes);
  broken_off_ = record_->bytes > kMostErrorBody;
}

void Response::read_whole(std::string_view bytes) {
  const std::size_t most = most_whole_bytes(options_, generates_);
  if (held_.size() + bytes.size() > most) {
    std::string().swap(held_);
    return break_off(Outcome::protocol,
                     fmt::format("an answer of more than {} that is no stream", format_bytes(most)));
  }
  held_.append(bytes);
  if (!generates_) return;  // one object of megabytes: parsed once
  const bool line_ended = bytes.find('\n') != std::string_view::npos;
  if (first_line_judged_ || (!line_ended && !headers_.is_lines())) return;
  first_line_judged_ = true;
  const std::string_view line = std::string_view(held_).substr(0, held_.find('\n'));
  if (headers_.is_lines() || fold_.is_stream_chunk(line)) turn_to_lines();
}

// NDJSON: each line is an event; the first one ends in this read.
void Response::turn_to_lines() {
  kind_ = BodyKind::events;
  parser_ = SseParser(Framing::lines);
  const std::string begun = std::exchange(held_, {});
  read_events(begun);
}

void Response::keep_head(std::string_view bytes, std::size_t limit) {
  if (held_.size() < limit) held_.append(bytes.substr(0, limit - held_.size()));
}

void Response::on_end(Outcome transport, std::string_view message, Instant at) {
  ResponseEnd end{.body = kind_,
                  .stream_asked = options_.stream && generates_,
                  .items = row_of(options_.endpoint).items,
                  .transport = transport,
                  .message = message,
                  .breach = *breach_,
                  .head_was_cut = held_.size() >= kMostErrorBytes,
                  .secrets = options_.secrets};
  if (kind_ == BodyKind::json) {
    end.unframed = is_unframed();
    end.whole_json = fold_.take_whole(held_);
  }
  if (!broken_off_ && (kind_ == BodyKind::events || kind_ == BodyKind::unknown)) finish_events();
  if (!parser_.recognized()) end.head = trim(held_);
  end.ignored = trim(parser_.ignored());
  fold_.finish(kind_ != BodyKind::json);
  auto& record = *record_;
  record.end_us = timeline_.micros(ended_at(transport, at));
  record.end_early_us = end_early(transport, at);
  record.server_request_id = headers_.request_id;
  keep_limits(record);
  keep_server_times(record);
  record.server = options_.secrets.mask_json(std::move(record.server));
  if (headers_.compressed()) record.flags.set(Flag::compressed);
  classify(end, fold_, record);
}

// Chunks of a stream one after the other, with nothing between them.
bool Response::is_unframed() {
  if (!generates_) return false;
  const std::size_t length = json_length(held_);
  const auto rest = trim(std::string_view(held_).substr(length));
  return length > 0 && rest.starts_with('{') && fold_.is_stream_chunk(held_);
}

// For a rejected request without Retry-After, the rate limits may give the time to wait.
void Response::keep_limits(RequestRecord& record) const {
  if (const auto& limits = headers_.limits.headers(); !limits.empty()) record.rate_limits.write() = limits;
  record.retry_after_ms = retry_after_ms(headers_.retry_after, headers_.retry_after_ms, headers_.date);
  const bool refused = is_rate_limit(record.status);
  if (refused && !record.retry_after_ms) record.retry_after_ms = headers_.limits.wait_ms(headers_.date);
}

void Response::keep_server_times(RequestRecord& record) {
  auto times = server_times(record.server, most_server_ms(record));
  if (!times) return record.flags.set(Flag::odd_times);
  if (times->any()) record.server_times.write() = std::move(*times);
}

void Response::finish_events() {
  SseEvent event;
  while (parser_.finish(event)) fold_.take_tail(event);
}

// Not the close of a connection that stayed open after the answer was complete.
Instant Response::ended_at(Outcome transport, Instant at) const {
  if (fold_.terminal_at()) return *fold_.terminal_at();
  return transport != Outcome::ok && ended_before_transport(fold_, transport) ? timeline_.latest() : at;
}

// By how much the end may have come earlier: the end of a stream is that of an event, that of a single body
// the arrival of its last bytes.
std::uint32_t Response::end_early(Outcome transport, Instant at) const {
  const Instant end = ended_at(transport, at);
  const bool event = fold_.events() > 0 && end == timeline_.latest();
  const nanoseconds by = event ? timeline_.latest_early() : timeline_.early_at(end);
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::microseconds>(by).count(), 0,
                               std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

struct StreamReader::State {
  ChunkParser& parser;
  StreamOptions options;
  Instant origin;
  RequestRecord& record;
  std::optional<Response> response{};
  bool ended = false;

  void begin() { response.emplace(parser, options, origin, record); }
};

StreamReader::StreamReader(ChunkParser& parser, const StreamOptions& options, Instant origin,
                           RequestRecord& record)
    : state_(new State{parser, options, origin, record}) {
  state_->begin();
}

StreamReader::~StreamReader() = default;
StreamReader::StreamReader(StreamReader&&) noexcept = default;

void StreamReader::on_status(int status, Instant arrival) {
  state_->begin();
  state_->response->on_status(status, arrival);
}

void StreamReader::on_header(std::string_view name, std::string_view value) {
  state_->response->headers().add(name, value);
}

void StreamReader::on_body(std::string_view bytes, const ReadStamp& stamp) {
  if (!state_->ended) state_->response->on_body(bytes, stamp);
}

void StreamReader::on_end(Outcome transport, std::string_view message, Instant at) {
  if (std::exchange(state_->ended, true)) return;
  state_->response->on_end(transport, message, at);
}

std::optional<Instant> StreamReader::terminal_at() const { return state_->response->fold().terminal_at(); }

bool StreamReader::broken_off() const { return state_->response->broken_off(); }
bool StreamReader::has_usage() const { return state_->response->fold().has_usage(); }
bool StreamReader::has_final_usage() const { return state_->response->fold().has_final_usage(); }

std::optional<Instant> StreamReader::first_token() const {
  return state_->response->timeline().first_token();
}

std::optional<Instant> StreamReader::last_token() const { return state_->response->timeline().last_token(); }

}  // namespace infermeter
