// The words of one stream in an endpoint's own language, with their state: numbers, what is open, the text so
// far. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/api/api_request.hpp"
#include "sim/api/usage.hpp"
#include "sim/http/faults.hpp"
#include "sim/http/outbox.hpp"

namespace infermeter::sim {

struct AnswerIdentity {
  Endpoint endpoint = Endpoint::chat;
  std::string id, model;
  std::int64_t created = 0;  // Unix seconds
  AnswerForm form = {};
};

/// What one event says of one choice. Texts are JSON-safe already.
struct Delta {
  EventKind kind = EventKind::text;  // role, text, reasoning, empty or finish
  std::uint32_t choice = 0;
  std::uint32_t tokens = 0;
  std::string_view text = {};
  std::span<const std::string_view> words = {};  // of its tokens, where log probabilities are asked for
  std::size_t offset = 0;                        // of its text in the answer's
  std::string_view finish = {};                  // empty: not here
  const Usage* usage = nullptr;                  // carried by this event, at `place`
  UsagePlace place = UsagePlace::every;
};

struct StreamEnd {
  const Usage* usage = nullptr;           // null: not said
  const RequestTiming* timing = nullptr;  // vLLM's metrics; null: not said
  std::string_view finish = {};           // the first choice's reason; empty: not said
  bool done = true;                       // say that it is the end
};

class StreamFormat {
 public:
  virtual ~StreamFormat() = default;
  /// With the head of the answer, before the engine has begun.
  virtual void begin(EventSink& sink) = 0;
  virtual void delta(EventSink& sink, const Delta& delta) = 0;
  /// After the last token of all choices.
  virtual void end(EventSink& sink, const StreamEnd& end) = 0;
  /// The engine failed in the middle; `done`: say that it is the end.
  virtual void fail(EventSink& sink, const ApiProblem& problem, bool done) = 0;
  virtual void heartbeat(EventSink& sink) = 0;
};

/// Appends `,"name":value`.
void append_field(std::string& out, std::string_view name, std::string_view value);
void append_number(std::string& out, std::uint64_t number);

}  // namespace infermeter::sim
