// An endpoint as the simulator serves it: what a body asks, and the words of the answer. Whatever differs
// from one to the other is asked here. Each stands in its own source and is found by its row in
// infermeter/model/endpoint.hpp. Without state; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The words of one stream in an endpoint's own language, with their state: numbers, what is open, the text
/// so far. Pure; one thread.
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

struct ServedTraits {
  std::string_view id_prefix;  // of answers
  const char* prompt_field;    // named where a prompt is too long
  bool generates = true;       // tokens; else the engine reads the prompts, and the answer is whole
  bool typed = false;          // a stream has typed events, and usage where these have it
  bool thinks = true;
  std::size_t most_prompts = 128;
  std::string_view prompts_name = "choices";
};

/// One answer of a body; texts are JSON-safe already.
struct BodyChoice {
  std::string content, reasoning, finish;
  std::string logprobs;  // JSON; empty: none
};

struct WholeAnswer {
  const AnswerIdentity& identity;
  const ApiRequest& request;
  std::vector<BodyChoice> choices;        // of an endpoint that generates
  const Usage* usage = nullptr;           // null: not said
  const RequestTiming* timing = nullptr;  // vLLM's metrics; null: not said
};

class ServedEndpoint {
 public:
  explicit ServedEndpoint(const ServedTraits& traits) : traits_(traits) {}
  virtual ~ServedEndpoint() = default;
  const ServedTraits& traits() const { return traits_; }

  /// Fills a request whose endpoint and fields are known; throws ApiProblem as json_fields.hpp says.
  virtual void read(const nlohmann::json& body, ApiRequest& request) const = 0;
  /// Null where it never streams.
  virtual std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const;
  virtual std::string body(const WholeAnswer& answer) const = 0;
  /// Of a whole answer's text; `offset` is the place of the first word in it.
  virtual std::string logprobs(std::span<const std::string_view> words, std::uint32_t top,
                               std::size_t offset) const;
  /// An error's body: {"error": {message, type, param, code}}, unless it is overridden.
  virtual std::string problem(const ApiProblem& problem) const;

 private:
  ServedTraits traits_;
};

const ServedEndpoint& served_endpoint(Endpoint endpoint);

#define INFERMETER_ROW(name, path, items) const ServedEndpoint& served_##name();
INFERMETER_ENDPOINTS(INFERMETER_ROW)
#undef INFERMETER_ROW

}  // namespace infermeter::sim
