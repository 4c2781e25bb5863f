#include "sim/api/api_request.hpp"

#include <fmt/format.h>

#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

void check_model(const Json& body, const ServedModel& served) {
  const Json* model = field(body, "model");
  if (model == nullptr) return;
  if (!model->is_string()) refuse("model must be a string", "model");
  const auto& name = model->get_ref<const std::string&>();
  if (name == served.name || name.empty()) return;
  throw ApiProblem{404,
                   fmt::format("The model `{}` does not exist; this server has `{}`.", name, served.name),
                   "NotFoundError", "model"};
}

void check_sizes(const ApiRequest& request, const ServedTraits& traits, const ServedModel& served) {
  if (request.prompts.size() * request.n > traits.most_prompts)
    refuse(fmt::format("more than {} {} in one request", traits.most_prompts, traits.prompts_name),
           traits.generates ? "n" : traits.prompt_field);
  for (const auto& prompt : request.prompts) {
    if (prompt.size() + request.output_limit <= served.context_tokens) continue;
    refuse(fmt::format("This model's maximum context length is {} tokens; the prompt has {} and {} more are "
                       "asked for.",
                       served.context_tokens, prompt.size(), request.output_limit),
           traits.prompt_field);
  }
}

ApiRequest read_request(Endpoint endpoint, std::string_view text, const ServedModel& served, bool any_model) {
  const Json body = parse_object(text);
  if (!any_model) check_model(body, served);
  ApiRequest request;
  request.endpoint = endpoint;
  for (const auto& [name, value] : body.items()) request.fields.push_back(name);
  const ServedEndpoint& asked = served_endpoint(endpoint);
  asked.read(body, request);
  check_sizes(request, asked.traits(), served);
  return request;
}

TokenizeRequest read_tokenize(std::string_view text, const ServedModel& served) {
  const Json body = parse_object(text);
  check_model(body, served);
  if (body.contains("messages"))
    return {tokenize_chat(messages_of(body), flag(body, "add_generation_prompt", true))};
  const Json* prompt = field(body, "prompt");
  if (prompt == nullptr || !prompt->is_string()) refuse("prompt must be a string", "prompt");
  return {tokenize_prompt(prompt->get_ref<const std::string&>(), flag(body, "add_special_tokens", true))};
}

}  // namespace

std::variant<ApiRequest, ApiProblem> parse_api_request(Endpoint endpoint, std::string_view body,
                                                       const ServedModel& served, bool any_model) {
  try {
    return read_request(endpoint, body, served, any_model);
  } catch (const ApiProblem& problem) {
    return problem;
  }
}

std::variant<TokenizeRequest, ApiProblem> parse_tokenize_request(std::string_view body,
                                                                 const ServedModel& served) {
  try {
    return read_tokenize(body, served);
  } catch (const ApiProblem& problem) {
    return problem;
  }
}

std::string problem_json(const ApiProblem& problem) {
  return fmt::format(R"({{"error":{{"message":{},"type":{},"param":{},"code":{}}}}})",
                     json_quoted(problem.message), json_quoted(problem.type),
                     problem.param.empty() ? "null" : json_quoted(problem.param), problem.status);
}

}  // namespace infermeter::sim
