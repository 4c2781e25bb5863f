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

/// What an answer has beside its text.
struct AnswerForm {
  std::optional<std::uint32_t> top_logprobs = {};  // log probabilities with so many alternatives
  bool reasoning_summary = false;                  // Responses: reasoning is shown as its summary
};

struct ApiRequest {
  Endpoint endpoint = Endpoint::chat;
  bool stream = false, include_usage = false, continuous_usage = false, ignore_eos = false;
  bool limited = false;            // the client gave a limit; without one an answer ends itself with "stop"
  std::uint32_t output_limit = 0;  // ≥ 1; 0 where nothing is generated
  std::uint32_t min_tokens = 0;
  std::uint32_t n = 1;  // choices of each prompt
  AnswerForm form;
  Thinking thinking = Thinking::unsaid;
  double reasoning_effort = 1;  // times as much reasoning as usual
  /// What this endpoint alone asks for, by the field's name: "dimensions".
  std::map<std::string, std::uint32_t, std::less<>> own;
  std::vector<Tokens> prompts;      // ≥ 1; n × prompts choices, those of a prompt side by side
  std::vector<std::string> texts;   // of each prompt, as the client wrote it; empty where it sent token ids
  std::vector<std::string> fields;  // names at the top of the body, and those within stream_options
};

/// What this server has, for checks and messages.
struct ServedModel {
  std::string name;
  std::uint32_t context_tokens = 0;  // the longest prompt and output together
};

struct TokenizeRequest {
  Tokens tokens;
};

/// Another model than the served one is a problem with status 404; none is the served one. With `any_model`
/// the path has chosen it (Azure's deployments).
std::variant<ApiRequest, ApiProblem> parse_api_request(Endpoint endpoint, std::string_view body,
                                                       const ServedModel& served, bool any_model = false);
/// vLLM's /tokenize: {"prompt": …} or {"messages": […]}, add_special_tokens, add_generation_prompt.
std::variant<TokenizeRequest, ApiProblem> parse_tokenize_request(std::string_view body,
                                                                 const ServedModel& served);

/// {"error": {message, type, param, code}}
std::string problem_json(const ApiProblem& problem);

}  // namespace infermeter::sim
