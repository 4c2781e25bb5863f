#include "protocol/request/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/json_tree.hpp"
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMessageFrame = 40;  // {"role":"assistant","content":""}

bool is_system(const Message& message) { return message.role == "system" || message.role == "developer"; }

bool is_special(const Request& request, const EndpointTraits& traits) {
  if (!request.images.empty() || !request.messages_json.empty() || !request.extra_body.empty() ||
      !request.whole_body.empty()) {
    return true;
  }
  return !traits.takes_system_messages && std::ranges::any_of(request.messages, is_system);
}

std::size_t text_size(const Request& request) {
  std::size_t size = 0;
  for (const auto& message : request.messages) size += message.content.size() + kMessageFrame;
  return size + size / 16;
}

void put_stream(Json& body, const RequestShape& shape) {
  const EndpointTraits& traits = traits_of(shape.endpoint);
  if (traits.generates) body["stream"] = shape.stream;
  if (traits.asks_usage && shape.stream && shape.include_usage)
    body["stream_options"] = {{"include_usage", true}};
}

// Text that this program wrote from parts that were each measured.
Json composed(std::string_view json) { return json_tree<Json>(json, kMostComposedLevels); }

// A body with `prompt` in the place of the messages and `tokens` in each place of the number of output
// tokens.
Json body_around(const RequestShape& shape, const std::string& prompt, const Json& tokens) {
  Json body = {{"model", shape.model}};
  codec_of(shape.endpoint).put_prompt(body, shape.system_prompt, prompt);
  if (!shape.max_tokens_field.empty()) body[shape.max_tokens_field] = tokens;
  put_stream(body, shape);
  for (const auto& [name, json] : shape.options) body[name] = composed(json);
  for (const auto& field : shape.exact_fields) body[field] = field == "ignore_eos" ? Json(true) : tokens;
  merge(body, parse_extra(shape.extra_body));
  return body;
}

// A data file's own body: the run sets only its model and whether the answer streams.
std::string own_body(const RequestShape& shape, const std::string& text, const std::string& plain) {
  Json body = json_tree<Json>(text);
  if (!body.is_object()) return plain;
  if (!shape.model.empty()) body["model"] = shape.model;
  body.erase("stream_options");
  if (!traits_of(shape.endpoint).generates) body.erase("stream");
  put_stream(body, shape);
  return text_of(body);
}

Json messages_of(const Request& request) {
  if (!request.messages_json.empty()) return json_tree<Json>(request.messages_json);
  Json list = Json::array();
  for (const auto& [role, content] : request.messages) list.push_back({{"role", role}, {"content", content}});
  return list;
}

// Bodies that need a JSON library: `plain` is the body of the request's messages, and the rest is merged over
// it. `takes_prompt` false: the messages come from the extra body and are kept.
std::string special_body(const RequestShape& shape, const Request& request, const std::string& plain,
                         bool takes_prompt) {
  if (!request.whole_body.empty()) return own_body(shape, request.whole_body, plain);
  Json body = composed(plain);
  Json messages = messages_of(request);
  if (takes_prompt && messages.is_array()) {
    attach_images(messages, request.images);
    codec_of(shape.endpoint).put_messages(body, shape.system_prompt, messages);
  }
  const Json extra = json_tree<Json>(request.extra_body);
  if (extra.is_object()) merge(body, extra);
  return text_of(body);
}

/// The fields of a body that limit its answer, whatever the endpoint calls them.
constexpr std::array<const char*, 6> kLimitFields{
    "max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict", "n_predict"};

std::uint64_t number_at(const Json& body, const char* name) {
  constexpr double most = 4e9;
  const auto found = body.find(name);
  const bool number = found != body.end() && found->is_number();
  return number ? static_cast<std::uint64_t>(std::clamp(found->get<double>(), 0.0, most)) : 0;
}

// Several may be named where servers differ: the largest counts.
std::uint64_t limit_at(const Json& body) {
  std::uint64_t limit = 0;
  for (const char* name : kLimitFields) limit = std::max(limit, number_at(body, name));
  return limit;
}

bool names_limit(const Json& body) {
  return std::ranges::any_of(kLimitFields, [&body](const char* name) { return body.contains(name); });
}

// Two markers that occur in the body only where they were put: "…p" for the prompt, "…t" for the tokens.
std::string unused_mark(const RequestShape& shape) {
  const std::string text = text_of(body_around(shape, "", 0));
  std::string mark = "hole";
  while (text.find(mark) != std::string::npos) mark += "-hole";
  return mark;
}

}  // namespace

BodyTemplate::BodyTemplate(const RequestShape& shape) : shape_(shape) {
  const std::string mark = unused_mark(shape);
  Json body = body_around(shape, mark + 'p', mark + 't');
  fixed_limit_ = limit_at(body);
  const auto is_hole = [&body](const char* name) { return body.contains(name) && body[name].is_string(); };
  limits_ = fixed_limit_ > 0 || std::ranges::any_of(kLimitFields, is_hole);
  choices_ = std::max<std::uint64_t>(number_at(body, "n"), 1);
  cut(text_of(body), mark);
}

std::uint64_t BodyTemplate::most_tokens(const Request& request) const {
  std::uint64_t limit = limits_ ? fixed_limit_ : 0, choices = choices_;
  const std::uint64_t own = request.output_tokens > 0 ? request.output_tokens : shape_.output_tokens;
  if (limits_ && limit == 0) limit = own;
  if (!request.whole_body.empty()) limit = request.output_tokens;
  const std::string& merged = request.whole_body.empty() ? request.extra_body : request.whole_body;
  if (merged.empty()) return limit * choices;
  const Json body = json_tree<Json>(merged);
  if (!body.is_object()) return limit * choices;
  if (names_limit(body)) limit = limit_at(body);
  if (body.contains("n")) choices = std::max<std::uint64_t>(number_at(body, "n"), 1);
  return limit * choices;
}

// A prompt may be inside a string; every other placeholder is a whole string.
void BodyTemplate::cut(std::string_view text, std::string_view mark) {
  while (true) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) break;
    const Hole hole = text[at + mark.size()] == 'p' ? Hole::prompt : Hole::output_tokens;
    const std::size_t quotes = hole == Hole::prompt && traits_of(shape_.endpoint).prompt_in_text ? 0 : 1;
    std::string before(text.substr(0, at - quotes));
    if (hole == Hole::prompt) {
      takes_prompt_ = true;
      comma_first_ = quotes == 1 && before.ends_with("},");
      if (comma_first_) before.pop_back();
    }
    pieces_.push_back({std::move(before), hole});
    text.remove_prefix(at + mark.size() + 1 + quotes);
  }
  pieces_.push_back({std::string(text)});
}

std::string BodyTemplate::body(const Request& request) const {
  std::string plain = plain_body(request);
  return is_special(request, traits_of(shape_.endpoint)) ? special_body(shape_, request, plain, takes_prompt_)
                                                         : plain;
}

std::string BodyTemplate::body(std::string_view prompt) const {
  Request request;
  request.messages.push_back({"user", std::string(prompt)});
  return body(request);
}

std::string BodyTemplate::plain_body(const Request& request) const {
  const std::uint32_t tokens = request.output_tokens > 0 ? request.output_tokens : shape_.output_tokens;
  std::size_t size = text_size(request) + 64;
  for (const auto& piece : pieces_) size += piece.text.size();
  std::string out;
  out.reserve(size);
  for (const auto& [text, hole] : pieces_) {
    out += text;
    if (hole == Hole::prompt) {
      if (comma_first_ && !request.messages.empty()) out += ',';
      codec_of(shape_.endpoint).append_prompt(out, request.messages);
    }
    if (hole == Hole::output_tokens) fmt::format_to(std::back_inserter(out), "{}", tokens);
  }
  return out;
}

}  // namespace infermeter
