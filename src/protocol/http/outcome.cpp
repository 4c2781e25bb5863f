#include "protocol/http/outcome.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace infermeter {
namespace {

/// Finds the names of request fields that a server's error message rejects. Plain text, any spelling.
class RefusedFields {
 public:
  /// A field, or a path to something in it ("stream_options.include_usage"): the field is kept, once. The
  /// prompt and the model cannot be left out, so they are skipped.
  void add(std::string_view path);
  /// Every name that a sentence calls unknown, unsupported, extra or invalid.
  void add_from_text(std::string_view text);
  const std::vector<std::string>& names() const { return names_; }

 private:
  void add_from_sentence(std::string_view sentence);
  void add_quoted(std::string_view sentence);
  void add_leading_path(std::string_view sentence);
  bool add_after_loc(std::string_view sentence);

  std::vector<std::string> names_;
};

using Words = std::string_view;

constexpr std::array<Words, 12> kRefusals{
    "unrecognized", "unrecognised", "unsupported",   "not supported", "does not support", "unknown",
    "unexpected",   "extra",        "not permitted", "not allowed",   "invalid param",    "unavailable"};
constexpr std::array<Words, 7> kContent{"messages", "prompt",       "model", "input",
                                        "inputs",   "input_tokens", "body"};
// Quoted words in such messages that are not field names.
constexpr std::array<Words, 16> kNoNames{"type",    "loc",    "msg",   "ctx",    "url",  "string",
                                         "integer", "object", "array", "number", "true", "false",
                                         "null",    "none",   "json",  "error"};
// The words before an unquoted name: "Unrecognized request argument supplied: top_k".
constexpr std::array<Words, 8> kBefore{"argument supplied: ",
                                       "arguments supplied: ",
                                       "argument: ",
                                       "parameter: ",
                                       "parameters: ",
                                       "field: ",
                                       "argument not supported: ",
                                       "inputs: "};

template <std::size_t N>
bool any_of(const std::array<Words, N>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view leading_name(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

bool refuses(std::string_view sentence) {
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](Words word) { return sentence.find(word) != std::string_view::npos; });
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

void RefusedFields::add(std::string_view path) {
  const auto name = leading_name(path);
  const bool digits_only = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits_only || name.size() > 64 || any_of(kContent, name)) return;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

// Sentence by sentence, so that the advice in "Unsupported parameter: 'max_tokens' … Use
// 'max_completion_tokens' instead." is not taken for a refusal.
void RefusedFields::add_from_text(std::string_view text) {
  const std::string lower = lower_case(text.substr(0, 4096));
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(". "), rest.size());
    const auto sentence = rest.substr(0, end);
    if (refuses(sentence)) add_from_sentence(sentence);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
}

void RefusedFields::add_from_sentence(std::string_view sentence) {
  if (add_after_loc(sentence)) return;
  const std::size_t before = names_.size();
  add_quoted(sentence);
  if (names_.size() > before) return;
  for (const auto words : kBefore) {
    const std::size_t at = sentence.find(words);
    if (at == std::string_view::npos) continue;
    add(sentence.substr(at + words.size()));
    return;
  }
  add_leading_path(sentence);
}

// Anthropic: "output_config.effort: extra inputs are not permitted".
void RefusedFields::add_leading_path(std::string_view sentence) {
  const auto path = sentence.substr(0, sentence.find(": "));
  const auto of_path = [](char c) { return is_name_char(c) || c == '.'; };
  if (path.size() < sentence.size() && std::all_of(path.begin(), path.end(), of_path)) add(path);
}

// pydantic's errors as Python writes them: {'type': 'extra_forbidden', 'loc': ('body', 'top_k'), …}
bool RefusedFields::add_after_loc(std::string_view sentence) {
  constexpr std::string_view place = "'loc': ('body', '";
  bool found = false;
  for (std::size_t at = sentence.find(place); at != std::string_view::npos;
       at = sentence.find(place, at + 1)) {
    add(sentence.substr(at + place.size()));
    found = true;
  }
  return found;
}

void RefusedFields::add_quoted(std::string_view sentence) {
  for (std::size_t i = 0; i + 1 < sentence.size(); ++i) {
    if (!is_quote(sentence[i])) continue;
    const std::size_t close = sentence.find(sentence[i], i + 1);
    if (close == std::string_view::npos) return;
    const auto word = sentence.substr(i + 1, close - i - 1);
    // A path may follow the name: messages[0].role, stream_options.include_usage.
    const auto name = leading_name(word);
    const bool path = name.size() == word.size() || word[name.size()] == '.' || word[name.size()] == '[';
    if (!name.empty() && path && !any_of(kNoNames, name)) add(name);
    i = close;
  }
}

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

// An error may arrive as an event of a stream: then its data is read.
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

// A prompt that is too long is not a rejected field, although servers name one beside it (messages,
// max_tokens).
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
