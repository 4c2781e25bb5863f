// An endpoint as the simulator serves it: what a body asks, and the words of the answer. Whatever differs
// from one to the other is asked here. Each stands in its own source and is found by its row in
// infermeter/model/endpoint.hpp. Without state; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/stream_format.hpp"

namespace infermeter::sim {

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
