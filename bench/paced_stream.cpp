#include "paced_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace infermeter::bench {
namespace {

using std::string_view;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_without_case(string_view a, string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

string_view header_value(string_view head, string_view name) {
  for (auto at = head.find("\r\n"); at != string_view::npos; at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!equal_without_case(line.substr(0, name.size()), name)) continue;
    const auto from = line.find_first_not_of(' ', name.size() + 1);
    return from == string_view::npos ? string_view{} : line.substr(from);
  }
  return {};
}

long leading_number(string_view text) {
  const auto from = text.find_first_not_of(": ");
  long value = 0;
  if (from != string_view::npos) std::from_chars(text.data() + from, text.data() + text.size(), value);
  return value;
}

/// Searching for the name is enough for the bodies of benchmark clients, and needs no JSON parser.
long asked_tokens(string_view body) {
  for (const string_view name : {"\"max_tokens\"", "\"max_completion_tokens\""}) {
    const auto at = body.find(name);
    if (at != string_view::npos) return leading_number(body.substr(at + name.size()));
  }
  return 0;
}

std::string http_chunk(string_view payload) { return fmt::format("{:x}\r\n{}\r\n", payload.size(), payload); }

std::string event(string_view choices, string_view more = {}) {
  return http_chunk(
      fmt::format(R"(data: {{"id":"chatcmpl-exact","object":"chat.completion.chunk","created":1700000000,)"
                  R"("model":"exact","choices":[{}]{}}})"
                  "\n\n",
                  choices, more));
}

}  // namespace

ParsedRequest parse_request(string_view bytes) {
  ParsedRequest request;
  const auto head_end = bytes.find("\r\n\r\n");
  if (head_end == string_view::npos) return request;
  const auto head = bytes.substr(0, head_end + 2);
  const auto length = static_cast<std::size_t>(leading_number(header_value(head, "Content-Length")));
  request.bytes = head_end + 4 + length;
  if (bytes.size() < request.bytes) return request;
  request.complete = true;
  const auto method_end = head.find(' ');
  request.is_post = head.substr(0, method_end) == "POST";
  request.path = head.substr(method_end + 1, head.find(' ', method_end + 1) - method_end - 1);
  request.id = header_value(head, "X-Request-Id");
  request.output_tokens = asked_tokens(bytes.substr(head_end + 4, length));
  return request;
}

const std::string& stream_opening() {
  static const std::string opening =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      event(R"({"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null})");
  return opening;
}

const std::string& token_event() {
  static const std::string token =
      event(R"({"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null})");
  return token;
}

std::string stream_closing(long output_tokens) {
  const auto usage =
      fmt::format(R"(,"usage":{{"prompt_tokens":512,"completion_tokens":{},"total_tokens":{}}})",
                  output_tokens, 512 + output_tokens);
  return event(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"length"})") + event("", usage) +
         http_chunk("data: [DONE]\n\n") + "0\r\n\r\n";
}

std::string whole_answer(int status, string_view json) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                     status, status == 200 ? "OK" : "Not Found", json.size(), json);
}

}  // namespace infermeter::bench
