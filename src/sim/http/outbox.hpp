// Bytes on their way to one client, the SSE events that they complete, and when those were sent. Pure: the
// caller writes, and reports what it wrote and when. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {

/// One letter each in the truth file; `structure` opens and closes the parts of typed streams.
enum class EventKind : char {
  role = 'r',
  text = 't',
  reasoning = 'g',
  empty = 'e',
  finish = 'f',
  usage = 'u',
  error = 'x',
  done = 'd',
  structure = 'o'
};

struct SentEvent {
  EventKind kind;
  std::uint32_t choice;
  std::uint32_t tokens;
  Instant at;  // read just before the write that completed it
};

class Outbox {
 public:
  /// With `keep`, sent events are recorded.
  explicit Outbox(bool keep) : keep_(keep) {}

  std::string& bytes() { return bytes_; }  // append here
  /// Marks the end of an event at the current end of the bytes.
  void mark(EventKind kind, std::uint32_t choice, std::uint32_t tokens);
  /// The number of marked events that are still held back.
  std::size_t held_events() const;
  void release_all() { ready_ = bytes_.size(); }
  /// Releases the first held event.
  void release_event();
  /// Releases the first half of the held bytes.
  void release_half() { ready_ += (bytes_.size() - ready_) / 2; }

  std::string_view ready() const { return std::string_view(bytes_).substr(0, ready_); }
  bool empty() const { return bytes_.empty(); }
  /// The first `n` ready bytes went to the kernel by a write that began at `at`.
  void wrote(std::size_t n, Instant at);
  const std::vector<SentEvent>& sent() const { return sent_; }

 private:
  struct Marked {
    SentEvent event;
    std::size_t end;
  };
  bool keep_;
  std::string bytes_;
  std::size_t ready_ = 0;
  std::vector<Marked> marked_;
  std::vector<SentEvent> sent_;
};

/// Writes a stream's events: frames them as HTTP chunks in the outbox, and marks them there. One thread.
class EventSink {
 public:
  /// `outbox` outlives it; with `crlf`, lines end with CRLF.
  EventSink(Outbox& outbox, Framing framing, bool crlf);

  /// Begins an event, with a name unless `name` is empty; the caller appends its data to the returned string.
  std::string& begin(std::string_view name = {});
  /// Ends the event. The string keeps its capacity, so that a token allocates nothing.
  void end(EventKind kind, std::uint32_t choice = 0, std::uint32_t tokens = 0);
  /// Ends an event that the truth file does not list: a heartbeat.
  void end_unlisted();
  void comment(std::string_view text);

 private:
  Outbox& outbox_;
  Framing framing_;
  std::string_view line_end_;
  std::string event_;
};

/// What happens to the connection once the outbox is empty.
enum class Ending { open, keep_alive, close, reset };

struct Reply {
  explicit Reply(bool keep_events) : outbox(keep_events) {}
  Outbox outbox;
  Ending ending = Ending::open;
  std::function<void()> on_ready;  // called when bytes became ready or the ending was set
};

}  // namespace infermeter::sim
