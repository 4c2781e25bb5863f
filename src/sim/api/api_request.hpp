// The bodies of the generation endpoints, of embeddings and of /tokenize, as values. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {

/// Why a request is refused, in OpenAI's terms.
struct ApiProblem {
  int status = 400;
  std::string message;
  std::string type = "BadRequestError";
  std::string param;  // empty: null
};

/// Optional parts of an answer besides its text.
struct AnswerForm {
  std::optional<std::uint32_t> top_logprobs = {};  // log probabilities with this many alternatives
  bool reasoning_summary = false;                  // Responses: reasoning is shown as its summary
};

struct ApiRequest {
  Endpoint endpoint = Endpoint::chat;
  bool stream = false, include_usage = false, continuous_usage = false, ignore_eos = false;
  bool limited = false;            // the client set a limit; without one an answer ends with "stop"
  std::uint32_t output_limit = 0;  // ≥ 1; 0 where nothing is generated
  std::uint32_t min_tokens = 0;
  std::uint32_t n = 1;  // choices of each prompt
  AnswerForm form;
  Thinking thinking = Thinking::unsaid;
  double reasoning_effort = 1;  // factor on the usual amount of reasoning
  /// Fields that only this endpoint has, by name: "dimensions".
  std::map<std::string, std::uint32_t, std::less<>> own;
  std::vector<Tokens> prompts;      // ≥ 1; n × prompts choices, grouped by prompt
  std::vector<std::string> texts;   // of each prompt, as the client wrote it; empty where it sent token ids
  std::vector<std::string> fields;  // top-level field names, and those within stream_options
};

/// What this server serves, for checks and messages.
struct ServedModel {
  std::string name;
  std::uint32_t context_tokens = 0;  // maximum of prompt and output together
};

struct TokenizeRequest {
  Tokens tokens;
};

/// A model other than the served one gives a problem with status 404; no model means the served one. With
/// `any_model` the path has chosen the model (Azure's deployments).
std::variant<ApiRequest, ApiProblem> parse_api_request(Endpoint endpoint, std::string_view body,
                                                       const ServedModel& served, bool any_model = false);
/// vLLM's /tokenize: {"prompt": …} or {"messages": […]}, add_special_tokens, add_generation_prompt.
std::variant<TokenizeRequest, ApiProblem> parse_tokenize_request(std::string_view body,
                                                                 const ServedModel& served);

/// {"error": {message, type, param, code}}
std::string problem_json(const ApiProblem& problem);

}  // namespace infermeter::sim
