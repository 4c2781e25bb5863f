// Bytes on their way to one client, which SSE events they complete, and when those left. Pure: the caller
// writes and says what it wrote and when. One thread.
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
  /// With `keep` the sent events are remembered.
  explicit Outbox(bool keep) : keep_(keep) {}

  std::string& bytes() { return bytes_; }  // append here
  /// An event ends where the bytes end now.
  void mark(EventKind kind, std::uint32_t choice, std::uint32_t tokens);
  /// How many marked events may not leave yet.
  std::size_t held_events() const;
  void release_all() { ready_ = bytes_.size(); }
  /// Releases the first half of what is held.
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

/// Where a stream's events go: framed as HTTP chunks into the outbox, and marked there. One thread.
class EventSink {
 public:
  /// `outbox` outlives it; with `crlf` lines end so.
  EventSink(Outbox& outbox, Framing framing, bool crlf);

  /// Begins an event, named where `name` is not empty; its data is appended to what is returned.
  std::string& begin(std::string_view name = {});
  /// Ends it. The string keeps its room, so that a token allocates nothing.
  void end(EventKind kind, std::uint32_t choice = 0, std::uint32_t tokens = 0);
  /// Ends what the truth does not list: a sign of life.
  void end_unlisted();
  void comment(std::string_view text);

 private:
  Outbox& outbox_;
  Framing framing_;
  std::string_view line_end_;
  std::string event_;
};

/// What becomes of the connection once the outbox is empty.
enum class Ending { open, keep_alive, close, reset };

struct Reply {
  explicit Reply(bool keep_events) : outbox(keep_events) {}
  Outbox outbox;
  Ending ending = Ending::open;
  std::function<void()> on_ready;  // called when bytes became ready or the ending was set
};

}  // namespace infermeter::sim
