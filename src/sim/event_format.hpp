// The JSON of one answer: stream events and whole bodies, chat and completions, with usage wherever a quirk
// wants it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api_request.hpp"
#include "faults.hpp"

namespace infermeter::sim {

struct Usage {
  std::uint32_t prompt_tokens = 0, completion_tokens = 0;
  std::optional<std::uint32_t> cached_tokens = {};     // known once the engine has finished
  std::optional<std::uint32_t> reasoning_tokens = {};  // where the answer has reasoning
};
std::string usage_json(const Usage& usage);

/// vLLM's per-request metrics, in wall time.
struct RequestTiming {
  nanoseconds queue{}, prefill{}, decode{};
  std::uint32_t output_tokens = 0;
};
std::string timing_json(const RequestTiming& timing);

struct AnswerIdentity {
  Endpoint endpoint = Endpoint::chat;
  std::string id, model;
  std::int64_t created = 0;  // Unix seconds
};

/// What one event of a stream says of one choice. Texts are JSON-safe already.
struct Delta {
  enum class Field { role, content, reasoning, none };
  std::uint32_t choice = 0;
  Field field = Field::content;
  std::string_view text = {};
  std::string_view finish = {};  // empty: null
  const Usage* usage = nullptr;  // carried by this event, at `place`
  UsagePlace place = UsagePlace::every;
};

class EventFormat {
 public:
  EventFormat(const AnswerIdentity& identity, bool crlf);

  // Each appends one whole SSE event.
  void append(std::string& out, const Delta& delta) const;
  void append_usage(std::string& out, const Usage& usage, const RequestTiming* timing) const;
  void append_error(std::string& out, const ApiProblem& problem) const;
  void append_done(std::string& out) const;
  void append_heartbeat(std::string& out) const;

 private:
  bool chat_;
  std::string id_;
  std::string head_;  // up to the list of choices
  std::string_view end_of_event_;
};

struct BodyChoice {
  std::string content, reasoning, finish;  // JSON-safe
};
std::string body_json(const AnswerIdentity& identity, const std::vector<BodyChoice>& choices,
                      const Usage* usage, const RequestTiming* timing);

}  // namespace infermeter::sim
