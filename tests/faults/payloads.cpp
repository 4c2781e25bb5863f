#include "payloads.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "framing.hpp"
#include "healthy.hpp"

namespace infermeter::faults {
namespace {

using namespace std::string_literals;
using Named = std::map<std::string, std::string>;

const std::string& find(const Named& all, const std::string& name) {
  const auto it = all.find(name);
  if (it == all.end()) throw std::invalid_argument("no such bytes: " + name);
  return it->second;
}

constexpr int kLevels = 100'000;
std::string deep(const std::string& level) {
  std::string text;
  for (int i = 0; i < kLevels; ++i) text += level;
  return text;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string data(const std::string& text) { return "data: " + text + "\n\n"; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string stream_of(const std::string& endpoint) {
  std::string all;
  for (const auto& event : healthy_body(endpoint, true).events) all += event;
  return all;
}

// The whole stream without its last `fewer` events.
std::string cut_stream(const std::string& endpoint, std::size_t fewer) {
  auto events = healthy_body(endpoint, true).events;
  std::string all;
  for (std::size_t i = 0; i + fewer < events.size(); ++i) all += events[i];
  return all;
}

// The count of the answer's tokens replaced.
std::string with_usage(const std::string& endpoint, const std::string& count) {
  return replaced(replaced(stream_of(endpoint), "completion_tokens\":4", "completion_tokens\":" + count),
                  "output_tokens\":4", "output_tokens\":" + count);
}

std::string with_finish(const std::string& endpoint, const std::string& reason) {
  return replaced(replaced(stream_of(endpoint), "finish_reason\":\"length", "finish_reason\":\"" + reason),
                  "stop_reason\":\"max_tokens", "stop_reason\":\"" + reason);
}

}  // namespace

std::string error_body(const std::string& name, const std::string& key) {
  static const Named all{
      {"json", R"({"error":{"message":"not today","type":"server_error","code":"no"}})"},
      {"html", "<!DOCTYPE html><html><head><title>Bad day</title></head><body>no</body></html>"},
      {"empty", ""},
      {"text", "upstream connect error or disconnect/reset before headers"},
      {"param", R"({"error":{"message":"Unsupported parameter: 'temperature' is not supported",)"
                R"("type":"invalid_request_error","param":"temperature","code":"unsupported_parameter"}})"},
      {"options", R"({"error":{"message":"Unrecognized request argument supplied: stream_options",)"
                  R"("type":"invalid_request_error","param":"stream_options"}})"},
      {"deep", R"({"error":)" + deep("[")},
      {"deep-closed", R"({"error":)" + deep("[") + deep("]") + "}"},
      {"nul", R"({"error":"a)"s + '\0' + R"(b"})"s},
      {"bad-utf8", "{\"error\":\"\xff\xfe\xc3\"}"},
      {"escapes", "{\"error\":\"\\u001b[31mred\\u001b]0;owned\\u0007\"}"},
      {"raw-escapes", "\x1b[31mred\x1b]0;owned\x07"},
      {"big", "{\"error\":\"" + std::string(1'000'000, 'x') + "\"}"},
  };
  if (name == "echo") return R"({"error":{"message":"Incorrect API key provided: )" + key + R"("}})";
  return find(all, name);
}

std::string whole_body(const std::string& name) {
  static const Named all{
      {"empty", ""},
      {"html", "<html><head><title>Welcome</title></head><body>hello</body></html>"},
      {"text", "It works!"},
      {"broken", R"({"choices":[{"index":0,"message":{"content":"a)"},
      {"number", "42"},
      {"null", "null"},
      {"list", "[]"},
      {"object", "{}"},
      {"nul", std::string(100, '\0')},
      {"random", garbage()},
      {"deep", deep("[")},
      {"deep-object", deep("{\"a\":")},
      {"error", R"({"error":{"message":"engine died","code":500}})"},
      {"big", "[" + repeated("1,", 200'000) + "1]"},
      {"deep-models", R"({"data":[{"id":"m","deep":)" + deep("[") + deep("]") + "}]}"},
      {"deep-error", R"({"error":)" + deep("[") + deep("]") + "}"},
      {"deep-usage", R"({"choices":[{"index":0,"message":{"content":"a b c d"},"finish_reason":"length"}],)"
                     R"("usage":{"prompt_tokens":16,"completion_tokens":4,"deep":)" +
                         deep("[") + deep("]") + "}}"},
  };
  return find(all, name);
}

std::string sse_body(const std::string& name, const std::string& endpoint) {
  const std::string whole = stream_of(endpoint);
  if (name == "crlf") return replaced(whole, "\n", "\r\n");
  if (name == "cr") return replaced(whole, "\n", "\r");
  if (name == "bom") return "\xef\xbb\xbf" + whole;
  if (name == "no-space") return replaced(whole, "data: ", "data:");
  if (name == "done-only") return data("[DONE]");
  if (name == "comments-only") return repeated(": waiting\n\n", 20);
  if (name == "no-done") return cut_stream(endpoint, 1);
  if (name == "no-usage") return cut_stream(endpoint, 2) + data("[DONE]");
  if (name == "tokens-only") return cut_stream(endpoint, 3);
  if (name == "unterminated") return whole.substr(0, whole.size() - 2);
  if (name == "twice") return whole + whole;
  if (name.starts_with("usage=")) return with_usage(endpoint, name.substr(6));
  if (name.starts_with("finish=")) return with_finish(endpoint, name.substr(7));
  if (name == "deep-usage")
    return replaced(whole, "\"total_tokens\"", "\"deep\":" + deep("[") + deep("]") + ",\"total_tokens\"");
  if (name == "deep-timings")
    return replaced(whole, "\"usage\"",
                    "\"timings\":{\"prompt_ms\":1,\"deep\":" + deep("[") + deep("]") + "},\"usage\"");
  if (name == "cached") {
    return replaced(whole, "\"total_tokens\"",
                    R"("prompt_tokens_details":{"cached_tokens":1000000000000},"total_tokens")");
  }
  throw std::invalid_argument("no such stream: " + name);
}

std::string payload(const std::string& name, const std::string& endpoint) {
  static const Named all{
      {"comments", repeated(": ping\n\n", 500)},
      {"comment", ": ping\n\n"},
      {"one-byte-comments", repeated(":\n", 20'000)},
      {"named-ping", "event: ping\ndata: {\"type\":\"ping\"}\n\n"},
      {"empty-data", "data:\n\ndata: \n\n"},
      {"null", data("null")},
      {"number", data("17")},
      {"list", data("[]")},
      {"sentence", data("The model is warming up, please wait.")},
      {"html", "<html><body>502 Bad Gateway</body></html>\n\n"},
      {"nul", data(std::string(20, '\0'))},
      {"bad-utf8", data("{\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\xc3\x28\"}}]}")},
      {"random", garbage() + "\n\n"},
      {"half-json", data(R"({"choices":[{"delta":{"conte)")},
      {"deep", data(deep("["))},
      {"deep-object", data(deep("{\"error\":"))},
      {"deep-closed", data("{\"usage\":" + deep("[") + deep("]") + "}")},
      {"long-line", "data: " + std::string(1'000'000, 'x') + "\n\n"},
      {"endless-line", std::string(500'000, 'x')},
      {"error", data(R"({"error":{"message":"engine died","type":"InternalServerError","code":500}})")},
      {"error-text", data(R"({"error":"Overloaded","error_type":"overloaded"})")},
      {"error-flat", data(R"({"object":"error","message":"ctx full","code":400})")},
      {"error-named", "event: error\ndata: {\"message\":\"went away\"}\n\n"},
      {"error-in-choice", data(R"({"choices":[{"index":0,"error":{"message":"died","code":502}}]})")},
      {"error-list", data(R"({"errors":[{"message":"a"},{"message":"b"}]})")},
      {"error-json", "{\"error\":{\"message\":\"no frame at all\"}}\n\n"},
      {"error-detail", data(R"({"detail":"Internal Server Error"})")},
      {"error-anthropic",
       "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
       "\"message\":\"Overloaded\"}}\n\n"},
      {"error-responses",
       "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{"
       "\"status\":\"failed\",\"error\":{\"code\":\"x\",\"message\":\"died\"}}}\n\n"},
      {"done", data("[DONE]")},
      {"dones", repeated(data("[DONE]"), 50)},
      {"blank", repeated("\n", 5'000)},
      {"id-only", "id: 7\nretry: 10\n\n"},
  };
  if (name == "token") return token_event(endpoint);
  if (name == "tokens") return repeated(token_event(endpoint), 200);
  return find(all, name);
}

std::vector<std::pair<std::string, std::string>> header_fields(const std::string& name) {
  if (name == "long") return {{"x-long", std::string(80'000, 'a')}};
  if (name == "huge") return {{"x-huge", std::string(400'000, 'a')}};
  if (name == "many") return std::vector<std::pair<std::string, std::string>>(4'000, {"x-many", "1"});
  if (name == "nul") return {{"x-nul", "a\0b"s}};
  if (name == "escapes") return {{"x-request-id", "\x1b[31mred\x1b]0;owned\x07"}};
  if (name == "bad-utf8") return {{"x-request-id", "\xff\xfe\xc3"}};
  if (name == "folded") return {{"x-folded", "a\r\n b"}};
  if (name == "empty-value") return {{"x-empty", ""}};
  if (name == "spaces") return {{"x-spaces  ", "a"}};
  if (name == "no-colon") return {{"x-first", "a\r\nno colon here"}};
  if (name == "upper") return {{"X-UPPER", "a"}};
  if (name == "limits")
    return {{"x-ratelimit-remaining-requests", "-1"}, {"x-ratelimit-reset-requests", "999999999999999999s"}};
  if (name == "connection-close") return {{"connection", "close"}};
  if (name == "trailers") return {{"trailer", std::string(1'000, 'x')}};
  throw std::invalid_argument("no such fields: " + name);
}

std::string first_lines(const std::string& name) {
  static const Named all{
      {"100", "HTTP/1.1 100 Continue\r\n\r\n"},
      {"103", "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n"},
      {"103s", repeated("HTTP/1.1 103 Early Hints\r\n\r\n", 500)},
      {"101", "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"},
      {"blank", "\r\n\r\n"},
      {"garbage", garbage() + "\r\n"},
      {"json", "{\"error\":\"no HTTP\"}\r\n"},
      {"no-status", "HTTP/1.1\r\n"},
      {"text-status", "HTTP/1.1 OK 200\r\n"},
      {"status-0", "HTTP/1.1 000 No\r\n\r\n"},
      {"status-99999", "HTTP/1.1 99999 Many\r\n\r\n"},
      {"version-9", "HTTP/9.9 200 OK\r\n\r\n"},
      {"http-0.9", "hello\n"},
      {"icy", "ICY 200 OK\r\n\r\n"},
      {"ssh", "SSH-2.0-OpenSSH_9.2p1\r\n"},
      {"tls", "\x15\x03\x01\x00\x02\x02\x46"s},
      {"redis", "-ERR unknown command 'POST'\r\n"},
      {"http2", frame(kSettings, 0, 0, "")},
  };
  return find(all, name);
}

std::string chunks(const std::string& name, const std::string& body) {
  const std::string size = fmt::format("{:x}", body.size());
  const std::string end = "0\r\n\r\n";
  const Named all{
      {"bad-size", "zz\r\n" + body + "\r\n" + end},
      {"no-size", "\r\n" + body + "\r\n" + end},
      {"negative", "-" + size + "\r\n" + body + "\r\n" + end},
      {"huge-size", "FFFFFFFFFFFFFFFFFF\r\n" + body + "\r\n" + end},
      {"no-break", size + "\r\n" + body + "XX" + end},
      {"short-size", fmt::format("{:x}\r\n", body.size() / 2) + body + "\r\n" + end},
      {"cut", size + "\r\n" + body.substr(0, body.size() / 2)},
      {"no-last", size + "\r\n" + body + "\r\n"},
      {"extension", size + ";name=\"value\"\r\n" + body + "\r\n" + end},
      {"zeros", "0000" + size + "\r\n" + body + "\r\n" + end},
      {"line-feeds", size + "\n" + body + "\n0\n\n"},
      {"bad-trailer", size + "\r\n" + body + "\r\n0\r\nno colon\r\n\r\n"},
      {"long-trailer", size + "\r\n" + body + "\r\n0\r\nx: " + std::string(50'000, 'a') + "\r\n\r\n"},
      {"one-byte",
       [&] {
         std::string all_bytes;
         for (const char c : body) all_bytes += "1\r\n"s + c + "\r\n";
         return all_bytes + end;
       }()},
  };
  return find(all, name);
}

std::string garbage() {
  std::string bytes;
  for (unsigned i = 0; i < 300; ++i) bytes += static_cast<char>(0x80 | (i * 37 % 128));
  return bytes;
}

std::string raw_bytes(const std::string& name, std::uint32_t stream, const std::string& code) {
  const std::string number = big_endian(code.empty() ? 0 : static_cast<std::uint32_t>(std::stoul(code)));
  const std::string last = big_endian(name == "goaway-refused" ? 0 : stream);
  const Named all{
      {"rst", frame(kRstStream, 0, stream, number)},
      {"goaway", frame(kGoaway, 0, 0, last + number + "too old")},
      {"goaway-refused", frame(kGoaway, 0, 0, last + number)},
      {"unknown-frame", frame(0xfa, 0xff, stream, "odd")},
      {"unknown-setting", frame(kSettings, 0, 0, "\xfa\xfa\0\0\0\7"s)},
      {"ping", frame(kPing, 0, 0, "12345678")},
      {"pings", repeated(frame(kPing, 0, 0, "12345678"), 200)},
      {"short-ping", frame(kPing, 0, 0, "123")},
      {"settings", frame(kSettings, 0, 0, "")},
      {"bad-settings", frame(kSettings, 0, 0, "abcde")},
      {"ack", frame(kSettings, kAck, 0, "")},
      {"too-long", frame(kData, 0, stream, std::string(20'000, 'x'))},
      {"data-of-0", frame(kData, 0, 0, "x")},
      {"data-of-9", frame(kData, 0, 99, "x")},
      {"bad-block", frame(kHeaders, kEndHeaders, stream, "\xff\xff\xff\xff\xff\xff\xff")},
      {"no-status", frame(kHeaders, kEndHeaders, stream, header_block({{"x-a", "b"}}))},
      {"upper", frame(kHeaders, kEndHeaders, stream, header_block({{":status", "200"}, {"X-Upper", "b"}}))},
      {"push", frame(kPushPromise, kEndHeaders, stream, big_endian(2) + header_block({{":path", "/"}}))},
      {"empty-data", repeated(frame(kData, 0, stream, ""), 100)},
      {"window-0", frame(kWindowUpdate, 0, stream, big_endian(0))},
      {"window-over", repeated(frame(kWindowUpdate, 0, 0, big_endian(0x7fffffff)), 2)},
      {"continuation", frame(kContinuation, 0, stream, "x")},
      {"endless-block", frame(kHeaders, 0, stream, "") + repeated(frame(kContinuation, 0, stream, ""), 200)},
      {"end-stream", frame(kData, kEndStream, stream, "")},
      {"http1", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"},
      {"half-frame", frame(kData, 0, stream, "0123456789").substr(0, 12)},
  };
  return find(all, name);
}

}  // namespace infermeter::faults
