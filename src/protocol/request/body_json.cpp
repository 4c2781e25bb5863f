#include "protocol/request/body_json.hpp"

#include "base/text.hpp"
#include "protocol/request/message_forms.hpp"

namespace infermeter {
namespace {

void put_prompt(Json& body, const RequestShape& shape, const std::string& prompt) {
  const std::string& system = shape.system_prompt;
  switch (shape.endpoint) {
    case Endpoint::chat:
      body["messages"] = Json::array();
      if (!system.empty()) body["messages"].push_back({{"role", "system"}, {"content", system}});
      body["messages"].push_back(prompt);
      return;
    case Endpoint::completions:
      body["prompt"] = system.empty() ? prompt : system + "\n\n" + prompt;
      return;
    case Endpoint::responses:
      if (!system.empty()) body["instructions"] = system;
      body["input"] = Json::array({prompt});
      return;
    case Endpoint::messages:
      if (!system.empty()) body["system"] = system;
      body["messages"] = Json::array({prompt});
      return;
    case Endpoint::embeddings:
      body["input"] = prompt;
      return;
  }
}

bool has_stream_options(const RequestShape& shape) {
  return shape.stream && shape.include_usage &&
         (shape.endpoint == Endpoint::chat || shape.endpoint == Endpoint::completions);
}

// A data file's own body: of the run are only its model and whether the answer streams.
std::string own_body(const RequestShape& shape, const std::string& text, const std::string& plain) {
  Json body = Json::parse(text, nullptr, false);
  if (!body.is_object()) return plain;
  if (!shape.model.empty()) body["model"] = shape.model;
  body.erase("stream_options");
  if (shape.endpoint == Endpoint::embeddings) {
    body.erase("stream");
  } else {
    body["stream"] = shape.stream;
  }
  if (has_stream_options(shape)) body["stream_options"] = {{"include_usage", true}};
  return text_of(body);
}

Json messages_of(const Request& request) {
  if (!request.messages_json.empty()) return Json::parse(request.messages_json, nullptr, false);
  Json list = Json::array();
  for (const auto& [role, content] : request.messages) list.push_back({{"role", role}, {"content", content}});
  return list;
}

}  // namespace

Json body_around(const RequestShape& shape, const std::string& prompt, const Json& tokens) {
  Json body = {{"model", shape.model}};
  put_prompt(body, shape, prompt);
  if (!shape.max_tokens_field.empty()) body[shape.max_tokens_field] = tokens;
  if (shape.endpoint != Endpoint::embeddings) body["stream"] = shape.stream;
  if (has_stream_options(shape)) body["stream_options"] = {{"include_usage", true}};
  for (const auto& [name, json] : shape.options) body[name] = Json::parse(json);
  for (const auto& field : shape.exact_fields) body[field] = field == "ignore_eos" ? Json(true) : tokens;
  merge(body, parse_extra(shape.extra_body));
  return body;
}

std::string special_body(const RequestShape& shape, const Request& request, const std::string& plain,
                         bool takes_prompt) {
  if (!request.whole_body.empty()) return own_body(shape, request.whole_body, plain);
  Json body = Json::parse(plain);
  Json messages = messages_of(request);
  if (takes_prompt && messages.is_array()) {
    attach_images(messages, request.images);
    put_messages(body, shape, messages);
  }
  const Json extra = Json::parse(request.extra_body, nullptr, false);
  if (extra.is_object()) merge(body, extra);
  return text_of(body);
}

}  // namespace infermeter
