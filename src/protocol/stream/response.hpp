// One response from its status line to its end: finds out what the body is (a stream, lines, one JSON object,
// an HTML page, an error) and reads it as that. StreamReader begins a new one when a transfer is tried again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/http/response_headers.hpp"
#include "protocol/stream/event_fold.hpp"
#include "protocol/stream/sse_parser.hpp"
#include "protocol/stream/token_timeline.hpp"
#include "protocol/stream/verdict.hpp"

namespace infermeter {

class Response {
 public:
  /// Resets what a response fills of the record; `arrival` is that of the status line, if one came.
  Response(ChunkParser& parser, const StreamOptions& options, Instant origin, RequestRecord& record);
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  void on_status(int status, Instant arrival);
  ResponseHeaders& headers() { return headers_; }
  void on_body(std::string_view bytes, const ReadStamp& stamp);
  void on_end(Outcome transport, std::string_view message, Instant at);

  const EventFold& fold() const { return fold_; }
  const TokenTimeline& timeline() const { return timeline_; }

 private:
  void clear_record();
  void read_body(std::string_view bytes);
  BodyKind kind_at(char first) const;
  void read_events(std::string_view bytes);
  void read_whole(std::string_view bytes);
  void turn_to_lines();
  void keep_head(std::string_view bytes, std::size_t limit);
  void finish_events();
  void keep_limits(RequestRecord& record) const;
  static void keep_server_times(RequestRecord& record);
  Instant ended_at(Outcome transport, Instant at) const;

  StreamOptions options_;
  bool generates_;
  RequestRecord* record_;
  ResponseHeaders headers_;
  TokenTimeline timeline_;
  EventFold fold_;
  SseParser parser_;
  BodyKind kind_ = BodyKind::unknown;
  std::string held_;  // a whole answer, an error body, or the head of what is no stream
  bool first_line_judged_ = false;
};

}  // namespace infermeter
