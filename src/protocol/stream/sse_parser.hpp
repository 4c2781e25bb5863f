// Bytes of a response body → Server-Sent Events (WHATWG HTML, "Parsing an event stream"), or one event per
// line (NDJSON). Incremental: each byte is read once, wherever the reads cut the body. One thread at a time.
//
// Beyond the specification it reads what servers send against it: events that end with one line break, fields
// that are indented or in capitals, a field `error`, JSON without a field, and a name that a blank line cuts
// off from its data.
//
// Use: feed(bytes), then next() until it returns no event; finish() after the last byte. The bytes of a feed
// must stay valid until next() has returned no event; an event's views are valid until the next call of
// next() or finish().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

struct SseEvent {
  std::string_view name;  // the `event` field; empty if there was none
  std::string_view
      data;  // the `data` lines joined by LF, without leading and trailing white space; never empty
  bool earlier = false;  // it was complete before this feed: SseParser::holds_event() was true then
};

enum class Framing : std::uint8_t { sse, lines };

/// The length of the JSON object or list at the beginning of `text`, by its brackets; 0 if it is not
/// complete.
std::size_t json_length(std::string_view text);

/// Finds the end of the JSON object or list at the beginning of a text that grows: each byte is read once,
/// however many lines an event has.
class JsonEnd {
 public:
  /// Whether it is complete; `text` begins with the text of the call before.
  bool reached(std::string_view text);
  /// Its length, once it is reached.
  std::size_t length() const { return read_; }

 private:
  std::size_t read_ = 0;
  int depth_ = 0;
  bool quoted_ = false, escaped_ = false, ended_ = false;
};

class SseParser {
 public:
  explicit SseParser(Framing framing = Framing::sse) : framing_(framing) {}

  void feed(std::string_view bytes);
  /// The next complete event of the bytes fed. Heartbeats (empty data, or data that begins with a colon) are
  /// skipped.
  bool next(SseEvent& event);
  /// After the last byte: the last event, if no blank line ended it.
  bool finish(SseEvent& event);

  /// All bytes are read, and what waits for its blank line is a whole event.
  bool holds_event() const { return data_seen_ && is_whole(); }
  /// The beginning of the lines that are no part of an event stream.
  std::string_view ignored() const { return *ignored_; }
  std::uint64_t comments() const { return comments_; }
  /// A line of an event stream was seen (a comment, or a field of the specification).
  bool recognized() const { return recognized_; }
  /// An event exceeded kMostEventBytes; parsing has stopped.
  bool overflow() const { return overflow_; }

 private:
  bool next_line(std::string_view& line);
  std::size_t line_end();
  std::string_view without_bom(std::string_view line);
  bool is_whole() const;
  bool begins_event(std::string_view line) const;
  void take_field(std::string_view line);
  void take_stray(std::string_view line);
  void add_data(std::string_view value);
  bool dispatch(SseEvent& event);
  bool dispatch_before(std::string_view line, SseEvent& event);
  bool dispatch_line(SseEvent& event);
  void forget_dispatched();
  void keep_for_next_feed();

  Framing framing_;
  std::string_view input_;
  std::size_t position_ = 0;
  std::size_t next_lf_ = 0, next_cr_ = 0;  // cached, so that neither search reads a byte twice
  std::string line_;                       // a line that began in an earlier feed
  bool line_consumed_ = false;
  std::string_view data_;  // into the input, or into data_copy_
  std::string data_copy_;
  bool data_seen_ = false;
  JsonEnd end_;  // of data_
  std::size_t text_begin_ = 0,
              text_end_ = 0;  // of data_ without white space: `data:` without an end is read once
  std::string name_;
  bool dispatched_ = false;     // name_ is in use by the caller until the next call
  std::string_view next_line_;  // read already: the first line of the next event
  bool earlier_ = false;        // the data that waits came before this feed
  bool by_line_ = false;        // this server ends its events with one line break
  Rare<std::string> ignored_;
  bool skip_lf_ = false;  // the last line ended with CR: a following LF belongs to it
  bool first_line_ = true;
  bool overflow_ = false;
  bool recognized_ = false;
  std::uint64_t comments_ = 0;
};

}  // namespace infermeter
