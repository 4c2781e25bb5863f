// An endpoint as the simulator serves it: how its request body is read and how its answer is written.
// Everything that differs between endpoints is here. Each has its own source file and a row in
// infermeter/model/endpoint.hpp. Stateless; any thread.
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

#include "sim/api/answer_parts.hpp"
#include "sim/api/api_request.hpp"
#include "sim/http/faults.hpp"
#include "sim/http/outbox.hpp"

namespace infermeter::sim {

struct AnswerIdentity {
  Endpoint endpoint = Endpoint::chat;
  std::string id, model;
  std::int64_t created = 0;  // Unix seconds
  AnswerForm form = {};
};

/// The content of one event for one choice. Texts are JSON-safe already.
struct Delta {
  EventKind kind = EventKind::text;  // role, text, reasoning, empty or finish
  std::uint32_t choice = 0;
  std::uint32_t tokens = 0;
  std::string_view text = {};
  std::span<const std::string_view> words = {};  // one per token, where log probabilities are requested
  std::size_t offset = 0;                        // of `text` within the answer's text
  std::string_view finish = {};                  // empty: not in this event
  const Usage* usage = nullptr;                  // carried by this event, at `place`
  UsagePlace place = UsagePlace::every;
};

struct StreamEnd {
  const Usage* usage = nullptr;           // null: not sent
  const RequestTiming* timing = nullptr;  // vLLM's metrics; null: not sent
  std::string_view finish = {};           // the first choice's reason; empty: not sent
  bool done = true;                       // send the end marker
};

/// Writes one stream in an endpoint's format and keeps its state: sequence numbers, open parts, the text so
/// far. Pure; one thread.
class StreamFormat {
 public:
  virtual ~StreamFormat() = default;
  /// Sent with the head of the answer, before the engine has started.
  virtual void begin(EventSink& sink) = 0;
  virtual void delta(EventSink& sink, const Delta& delta) = 0;
  /// After the last token of all choices.
  virtual void end(EventSink& sink, const StreamEnd& end) = 0;
  /// The engine failed in the middle of the stream; `done`: send the end marker.
  virtual void fail(EventSink& sink, const ApiProblem& problem, bool done) = 0;
  virtual void heartbeat(EventSink& sink) = 0;
};

/// Appends `,"name":value`.
void append_field(std::string& out, std::string_view name, std::string_view value);
void append_number(std::string& out, std::uint64_t number);

struct ServedTraits {
  std::string_view id_prefix;  // of answer ids
  const char* prompt_field;    // field named in the error if a prompt is too long
  bool generates = true;       // false: the engine only reads the prompts, and the answer is not streamed
  bool typed = false;          // a stream has typed events, and usage where these carry it
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
  const Usage* usage = nullptr;           // null: not sent
  const RequestTiming* timing = nullptr;  // vLLM's metrics; null: not sent
};

class ServedEndpoint {
 public:
  explicit ServedEndpoint(const ServedTraits& traits) : traits_(traits) {}
  virtual ~ServedEndpoint() = default;
  const ServedTraits& traits() const { return traits_; }

  /// Fills a request whose endpoint and fields are known; throws ApiProblem as request_body.hpp says.
  virtual void read(const nlohmann::json& body, ApiRequest& request) const = 0;
  /// Null if the endpoint never streams.
  virtual std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const;
  virtual std::string body(const WholeAnswer& answer) const = 0;
  /// Log probabilities of a non-streamed answer's text; `offset` is the position of the first word in it.
  virtual std::string logprobs(std::span<const std::string_view> words, std::uint32_t top,
                               std::size_t offset) const;
  /// An error's body; by default {"error": {message, type, param, code}}.
  virtual std::string problem(const ApiProblem& problem) const;

 private:
  ServedTraits traits_;
};

const ServedEndpoint& served_endpoint(Endpoint endpoint);

#define INFERMETER_ROW(name, path, items) const ServedEndpoint& served_##name();
INFERMETER_ENDPOINTS(INFERMETER_ROW)
#undef INFERMETER_ROW

}  // namespace infermeter::sim
