// A server that repeats the key: no part of a record holds it, and everything else is read as before.
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/http/server_identity.hpp"
#include "protocol/stream/stream_reader.hpp"

using namespace infermeter;

namespace {

const std::string kEchoedKey = "sk-live-Ab12Cd34Ef56";

struct Answered {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Outcome transport = Outcome::ok;
  std::string message;
};

RequestRecord record_with_key(const Answered& answer, const std::string& key = kEchoedKey,
                              std::size_t piece = 0) {
  const auto parser = make_chunk_parser();
  RequestRecord record;
  StreamReader reader(*parser, {.save_text = true, .secrets = Secrets({{key}})}, Instant{}, record);
  Instant at{1us};
  reader.on_status(answer.status, at);
  for (const auto& [name, value] : answer.headers) reader.on_header(name, value);
  const std::size_t step = piece == 0 ? answer.body.size() : piece;
  for (std::size_t i = 0; i < answer.body.size(); i += step) {
    at += 1us;
    reader.on_body(std::string_view(answer.body).substr(i, step),
                   {.read_id = i + 1, .arrival = at, .last_arrival = at});
  }
  reader.on_end(answer.transport, answer.message, at + 1us);
  return record;
}

/// All text of a record.
std::string all_text_of(const RequestRecord& r) {
  std::string all;
  for (const auto& part : {r.error, r.finish_reason, r.usage, r.server, r.server_model, r.system_fingerprint,
                           r.server_request_id, r.text})
    all += part + "\n";
  for (const auto& [name, value] : *r.rate_limits) all += name + ": " + value + "\n";
  return all;
}

std::string key_event(const std::string& json) { return "data: " + json + "\n\n"; }

const std::string kKeyStop = key_event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");

std::string key_delta(const std::string& text) {
  return key_event(R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})");
}

}  // namespace

TEST_CASE("secrets: a key in any part of an answer was saved with the record") {
  const Answered answer{
      .headers = {{"x-request-id", "id " + kEchoedKey},
                  {"x-ratelimit-limit-requests", kEchoedKey},
                  {"X-RateLimit-" + kEchoedKey, "5"},
                  {"openai-processing-ms", kEchoedKey},
                  {"fireworks-" + kEchoedKey, "1"},
                  {"retry-after", kEchoedKey},
                  {"content-type", kEchoedKey}},
      .body = key_event(R"({"model":"m )" + kEchoedKey + R"(","system_fingerprint":"f )" + kEchoedKey +
                        R"(","choices":[{"index":0,"delta":{"content":"a )" + kEchoedKey + R"("}}]})") +
              key_event(R"({"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"why )" +
                        kEchoedKey + R"("}]})") +
              key_event(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"note":"u )" +
                        kEchoedKey + R"(",")" + kEchoedKey + R"(":1},"time_info":{"queue_time":0.5,"x":")" +
                        kEchoedKey + R"("}})") +
              "data: [DONE]\n\n"};
  const RequestRecord record = record_with_key(answer);
  CAPTURE(all_text_of(record));
  CHECK(all_text_of(record).find("Ab12") == std::string::npos);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.server_request_id == "id ****");
  CHECK(record.finish_reason == "why ****");
  CHECK(record.prompt_tokens == 9);
  CHECK(nlohmann::json::parse(record.usage)["note"] == "u ****");
  CHECK(nlohmann::json::parse(record.server)["time_info"]["x"] == "****");
  CHECK(record.server_times->queue_ms == 500);
}

TEST_CASE("secrets: a key split over deltas stood in the saved text") {
  std::string body;
  for (const char c : "is " + kEchoedKey + " yours?") body += key_delta(std::string(1, c));
  CHECK(record_with_key({.body = body + kKeyStop}).text == "is **** yours?");
  CHECK(record_with_key({.body = body + kKeyStop}, kEchoedKey, 7).text == "is **** yours?");
}

TEST_CASE("secrets: twenty characters of the key stayed where an error was cut before it was masked") {
  const std::string longer = "sk-" + std::string(40, 'x') + "1A";
  for (const std::size_t before : {150u, 180u, 195u, 240u, 980u, 1000u, 1020u}) {
    const std::string pad(before, '.');
    const std::string json = R"({"error":{"message":")" + pad + longer + R"( is no key"}})";
    for (const Answered& answer : {
             Answered{.status = 401, .body = json},
             Answered{.status = 502, .body = "<html><title>" + pad + longer + "</title>"},
             Answered{.status = 500, .body = pad + longer},
             Answered{.body = key_event(json)},
             Answered{.body = pad + longer + "\n"},
             Answered{.body = key_delta("a") + key_event(pad + longer)},
             Answered{.body = key_delta("a") + key_event("error " + pad + longer)},
             Answered{
                 .body = key_delta("a"), .transport = Outcome::tls, .message = pad + longer.substr(0, 30)},
         }) {
      const RequestRecord record = record_with_key(answer, longer);
      CAPTURE(before, answer.body.substr(0, 60), record.error);
      CHECK_FALSE(record.error.empty());
      CHECK(record.error.find("sk-x") == std::string::npos);
    }
  }
}

TEST_CASE("secrets: a key that the end of a kept body divides is masked behind any white space") {
  const std::string spaces(65530, ' ');
  const RequestRecord record =
      record_with_key({.status = 500, .body = "bad key:" + spaces + kEchoedKey + kEchoedKey});
  CHECK(record.error.find("sk-") == std::string::npos);
}

TEST_CASE("secrets: a key that is a word of the format broke the reading of the answer") {
  const std::string body =
      key_event(R"({"model":"m","choices":[{"index":0,"delta":{"content":"hello"}}]})") +
      key_event(R"({"choices":[{"index":0,"delta":{"content":" x"},"finish_reason":"length"}]})") +
      key_event(R"({"choices":[],"usage":{"prompt_tokens":12345678,"completion_tokens":2}})") +
      "data: [DONE]\n\n";
  for (const char* key : {"choices", "content", "prompt_tokens", "completion_tokens", "12345678", "length",
                          "finish_reason", "data: [DONE]", "message"}) {
    CAPTURE(key);
    const RequestRecord record =
        record_with_key({.headers = {{"x-ratelimit-remaining-tokens", "12345678"}}, .body = body}, key);
    CHECK(record.outcome == Outcome::ok);
    CHECK(record.prompt_tokens == 12345678);
    CHECK(record.output_tokens == 2);
    CHECK(record.finish_reason == "length");
    CHECK(record.usage == R"({"prompt_tokens":12345678,"completion_tokens":2})");
    CHECK(record.rate_limits->at(0).second == "12345678");
    const auto refused = read_error_body(
        400,
        R"({"error":{"message":"Unrecognized request argument supplied: min_tokens","param":"min_tokens"}})",
        Secrets({{key}}));
    CHECK(refused.refused_fields == std::vector<std::string>{"min_tokens"});
  }
}

TEST_CASE("secrets: a refused field is known although it is the key") {
  const auto body =
      read_error_body(400, R"({"error":{"message":"Unrecognized request argument supplied: min_tokens"}})",
                      Secrets({{"min_tokens"}}));
  CHECK(body.refused_fields == std::vector<std::string>{"min_tokens"});
  CHECK(body.message == "Unrecognized request argument supplied: ****");
}

TEST_CASE("secrets: a version that holds the key") {
  CHECK(parse_version(R"({"version":"1 )" + kEchoedKey + "\"}", Secrets({{kEchoedKey}})) == "1 ****");
  CHECK(parse_version(std::string(190, 'v') + kEchoedKey, Secrets({{kEchoedKey}})) ==
        std::string(190, 'v') + "****");
}

TEST_CASE("secrets: an answer in a body of its own, and a failure inside a stream") {
  const std::string message =
      R"({"error":{"message":"Incorrect API key provided: sk\u002dlive-Ab12Cd34Ef56."}})";
  CHECK(record_with_key({.status = 401, .body = message}).error == "Incorrect API key provided: ****.");
  CHECK(record_with_key({.body = key_delta("a") + key_event(message)}).error ==
        "Incorrect API key provided: ****.");
  CHECK(record_with_key({.body = "key sk-live-Ab12Cd34Ef56 is bad"}).error ==
        "the answer is no event stream: key **** is bad");
}

TEST_CASE("secrets: a key in pieces of content and of reasoning in turn was saved") {
  std::string body;
  for (std::size_t i = 0; i < kEchoedKey.size(); i += 3) {
    const std::string piece = kEchoedKey.substr(i, 3);
    body += key_event(R"({"choices":[{"index":0,"delta":{"content":")" + piece +
                      R"(","reasoning_content":")" + piece + R"("}}]})");
  }
  const RequestRecord record = record_with_key({.body = body + kKeyStop + "data: [DONE]\n\n"});
  CHECK(record.text == "<think>****</think>****");
  const RequestRecord other = record_with_key(
      {.body = key_event(R"({"choices":[{"index":0,"delta":{"content":"a","reasoning_content":"b"}}]})") +
               key_delta("c") + key_delta("d " + kEchoedKey) + kKeyStop + "data: [DONE]\n\n"});
  CHECK(other.text.find("Ab12") == std::string::npos);
}
