// One generation request from its acceptance to the last byte: turns the engine's tokens into the bytes of a
// stream or a body, with the quirks drawn for it. Pure: bytes go to an outbox, time is a parameter. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "event_format.hpp"
#include "http_text.hpp"
#include "outbox.hpp"

namespace infermeter::sim {

/// What becomes of the connection once the outbox is empty.
enum class Ending { open, keep_alive, close, reset };

/// An answer as its connection sees it.
struct Reply {
  explicit Reply(bool keep_events) : outbox(keep_events) {}
  Outbox outbox;
  Ending ending = Ending::open;
  std::function<void()> on_ready;  // called when bytes became ready or the ending was set
};

struct GenerationSetup {
  ApiRequest request;
  Quirks quirks;
  AnswerIdentity identity;
  std::string request_id;                    // the client's X-Request-Id, or our own
  std::vector<std::uint32_t> output_tokens;  // of each choice
  std::uint64_t number = 0;                  // order of arrival, from 0
  Framing framing = Framing::chunked;        // of a stream
  bool keep_alive = true;
  bool keep_events = false;
  std::time_t date = 0;
  Instant arrived{}, received{};  // as HttpRequest has them
};

class Generation {
 public:
  explicit Generation(GenerationSetup setup);

  /// The head of a stream, at once; a body's head comes with the body.
  void begin(Instant now);
  /// Tokens of one choice left the engine; `finished`, in wall time, with its last ones.
  void on_tokens(std::uint32_t choice, std::uint32_t tokens, const RequestTruth* finished, Instant now);
  /// The time that `wake` asked for has come.
  void on_time(Instant now);
  std::optional<Instant> wake() const;

  Reply& reply() { return reply_; }
  const Reply& reply() const { return reply_; }
  const GenerationSetup& setup() const { return setup_; }
  /// No more tokens are wanted: all are there, or a fault cut it.
  bool over() const { return over_; }
  bool was_cut() const { return cut_done_ && setup_.quirks.cut != Cut::stall; }
  std::uint32_t prompt_tokens() const;
  std::uint32_t generated_tokens() const;
  std::string_view finish_reason(std::uint32_t choice) const;

 private:
  struct Choice {
    std::uint32_t generated = 0;  // left the engine
    std::uint32_t in_events = 0;  // of those, in an event or hidden
    std::uint32_t words = 0;
    bool role_sent = false, text_begun = false, finish_sent = false;
    std::optional<RequestTruth> truth;  // once it has finished
  };
  struct Held {  // tokens that came during a stall
    std::uint32_t choice, tokens;
    std::optional<RequestTruth> finished;
  };
  enum class Phase { hidden, reasoning, empty, text };

  void take(std::uint32_t choice, std::uint32_t tokens, const RequestTruth* finished, Instant now);
  void stream_tokens(std::uint32_t choice, std::uint32_t tokens, bool last);
  void write_event(std::uint32_t choice, Phase phase, std::uint32_t tokens, bool last);
  void write_role(std::uint32_t choice);
  void write_delta(Delta delta, EventKind kind, std::uint32_t tokens);
  void write_finish(std::uint32_t choice);
  void frame(EventKind kind, std::uint32_t choice, std::uint32_t tokens);
  void finish_stream();
  void cut_stream();
  void write_body();
  void write_whole(int status, const std::string& body, std::size_t shown);
  void end(Ending ending);
  void end_well();
  void release(Instant now);

  Phase phase_at(std::uint32_t choice, std::uint32_t token, std::uint32_t& phase_end) const;
  bool reaches_cut(std::uint32_t tokens) const;
  bool all_finished() const;
  void append_words(std::uint32_t choice, std::uint32_t count, std::string& out);
  std::string opening_text(std::uint32_t choice) const;
  std::uint32_t reasoning_tokens(std::uint32_t choice) const;
  Usage usage() const;
  std::optional<RequestTiming> timing() const;

  GenerationSetup setup_;
  EventFormat format_;
  Reply reply_;
  std::vector<Choice> choices_;
  std::string event_, text_;  // scratch, so that a token allocates nothing
  std::vector<Held> held_;
  bool streaming_, over_ = false, cut_done_ = false;
  std::optional<Instant> stalled_until_, split_due_, heartbeat_due_;
};

}  // namespace infermeter::sim
