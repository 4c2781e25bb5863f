#include "protocol/http/outcome.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "protocol/http/refused_fields.hpp"

namespace infermeter {
namespace {

using AnswerJson = nlohmann::json;

constexpr std::size_t kMessageBytes = 1024;

bool looks_like_html(std::string_view body) { return body.starts_with('<'); }

std::string html_message(std::string_view body) {
  const std::string lower = lower_case(body);
  const std::size_t open = lower.find("<title");
  const std::size_t begin = open == std::string::npos ? open : lower.find('>', open);
  const std::size_t end = begin == std::string::npos ? begin : lower.find("</title", begin);
  if (end == std::string::npos) return "an HTML page";
  return one_line("an HTML page: " + std::string(trim(body.substr(begin + 1, end - begin - 1))),
                  kMessageBytes);
}

// An error may come as an event of a stream: then its data counts.
std::string_view without_framing(std::string_view body) {
  if (!body.starts_with("data:") && !body.starts_with("event:")) return body;
  const std::size_t data = body.find("data:");
  if (data == std::string_view::npos) return body;
  body = body.substr(data + 5);
  return trim(body.substr(0, body.find_first_of("\r\n")));
}

const AnswerJson* member(const AnswerJson& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const AnswerJson& json) {
  return json.is_string() ? json.get<std::string>()
                          : json.dump(-1, ' ', false, AnswerJson::error_handler_t::replace);
}

// pydantic: [{"type":"extra_forbidden","loc":["body","min_tokens"],"msg":"Extra inputs are not permitted"}]
std::string detail_message(const AnswerJson& detail) {
  if (!detail.is_array()) return text_of(detail);
  std::string out;
  for (const auto& item : detail) {
    const AnswerJson* text = member(item, "msg");
    if (!out.empty()) out += "; ";
    out += text_of(text == nullptr ? item : *text);
    const AnswerJson* place = member(item, "loc");
    if (place == nullptr || !place->is_array() || place->empty()) continue;
    out += " (" + text_of(place->back()) + ")";
  }
  return out;
}

std::string message_of(const AnswerJson& json) {
  if (json.is_string()) return text_of(json);
  for (const char* name : {"error", "message", "msg", "detail", "error_message", "errors"}) {
    const AnswerJson* inner = member(json, name);
    if (inner == nullptr) continue;
    if (std::string_view(name) == "detail") return detail_message(*inner);
    return inner->is_object() || inner->is_string() ? message_of(*inner) : text_of(*inner);
  }
  return text_of(json);
}

// The objects in which servers put `param`, `loc` and `code`: the body, its error, its message, its detail.
template <typename Visit>
void each_error_object(const AnswerJson& json, Visit visit, int depth = 0) {
  if (depth > 4) return;
  if (json.is_array()) {
    for (const auto& item : json) each_error_object(item, visit, depth + 1);
  }
  if (!json.is_object()) return;
  visit(json);
  for (const char* name : {"error", "message", "detail", "errors"}) {
    if (const AnswerJson* inner = member(json, name)) each_error_object(*inner, visit, depth + 1);
  }
}

// A prompt that is too long is no refused field, though servers name one beside it (messages, max_tokens).
bool too_long(const AnswerJson& json) {
  return lower_case(message_of(json)).find("context length") != std::string::npos;
}

// pydantic's ["body", "stream_options", "include_usage"] means the field stream_options.
std::string field_of_place(const AnswerJson& place) {
  if (!place.is_array()) return {};
  for (const auto& part : place) {
    if (part.is_string() && part != "body" && part != "query") return part.get<std::string>();
  }
  return {};
}

std::vector<std::string> fields_of(const AnswerJson& json) {
  RefusedFields fields;
  if (too_long(json)) return {};
  each_error_object(json, [&](const AnswerJson& object) {
    if (const AnswerJson* param = member(object, "param"); param != nullptr && param->is_string()) {
      fields.add(param->get<std::string>());
    }
    if (const AnswerJson* place = member(object, "loc")) fields.add(field_of_place(*place));
  });
  if (fields.names().empty()) fields.add_from_text(message_of(json));
  return fields.names();
}

}  // namespace

ErrorBody read_error_body(int status, std::string_view body) {
  ErrorBody out;
  body = trim(body);
  if (looks_like_html(body)) {
    out.html = true;
    out.message = html_message(body);
    return out;
  }
  const AnswerJson json = AnswerJson::parse(without_framing(body), nullptr, false);
  const bool is_json = json.is_object() || json.is_array() || json.is_string();
  out.message = one_line(is_json ? message_of(json) : std::string(body), kMessageBytes);
  if (status != 400 && status != 422) return out;
  if (is_json) {
    out.refused_fields = fields_of(json);
  } else {
    RefusedFields fields;
    fields.add_from_text(body);
    out.refused_fields = fields.names();
  }
  return out;
}

Outcome http_outcome(int status, const ErrorBody& body) {
  const bool of_the_request = status == 400 || status == 422;
  return of_the_request && !body.refused_fields.empty() ? Outcome::param_rejected : Outcome::http_error;
}

}  // namespace infermeter
