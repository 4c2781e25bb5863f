#include "protocol/request/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "protocol/request/body_json.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMessageFrame = 40;  // {"role":"assistant","content":""}

bool is_special(const Request& request, Endpoint endpoint) {
  if (!request.images.empty() || !request.messages_json.empty() || !request.extra_body.empty() ||
      !request.whole_body.empty()) {
    return true;
  }
  return endpoint == Endpoint::messages &&
         std::any_of(request.messages.begin(), request.messages.end(),
                     [](const Message& m) { return m.role == "system" || m.role == "developer"; });
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

void append_joined(std::string& out, const std::vector<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) out += "\\n\\n";
    append_json_escaped(out, messages[i].content);
  }
}

// One text, or a list of several.
void append_inputs(std::string& out, const std::vector<Message>& messages) {
  if (messages.size() == 1) return append_quoted(out, messages.front().content);
  out += '[';
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) out += ',';
    append_quoted(out, messages[i].content);
  }
  out += ']';
}

std::size_t text_size(const Request& request) {
  std::size_t size = 0;
  for (const auto& message : request.messages) size += message.content.size() + kMessageFrame;
  return size + size / 16;
}

// Two marks that the body holds only where they were put: "…p" for the prompt, "…t" for the tokens.
std::string unused_mark(const RequestShape& shape) {
  const std::string text = text_of(body_around(shape, "", 0));
  std::string mark = "hole";
  while (text.find(mark) != std::string::npos) mark += "-hole";
  return mark;
}

}  // namespace

BodyTemplate::BodyTemplate(const RequestShape& shape) : shape_(shape) {
  const std::string mark = unused_mark(shape);
  cut(text_of(body_around(shape, mark + 'p', mark + 't')), mark);
}

// A prompt of completions is the inside of a string; all other holes take the place of a whole string.
void BodyTemplate::cut(std::string_view text, std::string_view mark) {
  while (true) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) break;
    const Hole hole = text[at + mark.size()] == 'p' ? Hole::prompt : Hole::output_tokens;
    const std::size_t quotes = hole == Hole::prompt && shape_.endpoint == Endpoint::completions ? 0 : 1;
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
  return is_special(request, shape_.endpoint) ? special_body(shape_, request, plain, takes_prompt_) : plain;
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
    if (hole == Hole::prompt) append_prompt(out, request);
    if (hole == Hole::output_tokens) fmt::format_to(std::back_inserter(out), "{}", tokens);
  }
  return out;
}

void BodyTemplate::append_prompt(std::string& out, const Request& request) const {
  if (shape_.endpoint == Endpoint::completions) return append_joined(out, request.messages);
  if (shape_.endpoint == Endpoint::embeddings) return append_inputs(out, request.messages);
  bool comma = comma_first_;
  for (const auto& [role, content] : request.messages) {
    out += comma ? ",{\"role\":" : "{\"role\":";
    append_quoted(out, role);
    out += ",\"content\":";
    append_quoted(out, content);
    out += '}';
    comma = true;
  }
}

}  // namespace infermeter
