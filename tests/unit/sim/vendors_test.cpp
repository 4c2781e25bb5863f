// Faults and special behaviour of vendors, as a client sees them: keys, rate limits, prices, caches.
#include "catch.hpp"
#include "service_fixture.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;

namespace {
constexpr std::string_view kCompletion = R"({"prompt":"the of","max_tokens":3})";

std::string chat_of(const std::string& messages, int tokens = 40) {
  return R"({"max_tokens":)" + std::to_string(tokens) + R"(,"messages":[)" + messages + "]}";
}
std::string message(std::string_view role, const std::string& text) {
  return R"({"role":")" + std::string(role) + R"(","content":")" + text + R"("})";
}
std::uint64_t number_after(const std::string& text, std::string_view name) {
  const auto at = text.find(name);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
}
}  // namespace

TEST_CASE("vendors: a key is wanted below /v1 and taken in any of the known headers") {
  Fixture fixture({"require-key"});
  const auto with = [&](Fixture::Headers headers) {
    return fixture.text(fixture.send("POST", "/v1/completions", kCompletion, false, std::move(headers)));
  };
  CHECK(has(with({}), "HTTP/1.1 401 Unauthorized"));
  CHECK(has(with({{"Authorization", "Bearer "}}), "HTTP/1.1 401 "));
  CHECK(has(with({{"Authorization", "Bearer k"}}), "HTTP/1.1 200 "));
  CHECK(has(with({{"X-Api-Key", "k"}}), "HTTP/1.1 200 "));
  CHECK(has(with({{"api-key", "k"}}), "HTTP/1.1 200 "));
  CHECK(has(fixture.text(fixture.send("GET", "/v1/models")), "HTTP/1.1 401 "));
  CHECK(has(fixture.text(fixture.send("GET", "/health")), "HTTP/1.1 200 "));
  Fixture named({"require-key=x-secret"});
  CHECK(has(named.text(named.send("POST", "/v1/completions", kCompletion, false, {{"X-Secret", "k"}})),
            "HTTP/1.1 200 "));
  CHECK(has(
      named.text(named.send("POST", "/v1/completions", kCompletion, false, {{"Authorization", "Bearer k"}})),
      "HTTP/1.1 401 "));
}

TEST_CASE("vendors: errors have the shape of the endpoint they come from") {
  Fixture fixture({"429=2"});
  CHECK(has(fixture.text(fixture.send("POST", "/v1/messages", "{}")),
            R"({"type":"error","error":{"type":"rate_limit_error","message":)"));
  CHECK(has(fixture.text(fixture.send("POST", "/v1/responses", "{}")), R"({"error":{"message":)"));
}

TEST_CASE("vendors: past the rate limit requests are refused and told when to come again") {
  Fixture fixture({"rate-limit=2"});
  const std::string first = fixture.text(fixture.complete());
  CHECK(has(first, "HTTP/1.1 200 "));
  CHECK(has(first, "x-ratelimit-remaining-requests: 1\r\n"));
  fixture.text(fixture.complete());
  const std::string third = fixture.text(fixture.complete());
  CHECK(has(third, "HTTP/1.1 429 "));
  CHECK(has(third, "retry-after: 1\r\n"));
  fixture.at += 1s;
  CHECK(has(fixture.text(fixture.complete(R"(,"stream":true)")), "x-ratelimit-limit-requests: 2\r\n"));
}

TEST_CASE("vendors: retry-after-ms stands beside retry-after where it is wanted") {
  Fixture fixture({"429=2", "retry-after-ms"});
  const std::string answer = fixture.text(fixture.complete());
  CHECK(has(answer, "retry-after: 2\r\n"));
  CHECK(has(answer, "retry-after-ms: 2000\r\n"));
}

TEST_CASE("vendors: cost and times stand in usage where they are wanted") {
  Fixture fixture({"cost=500000", "usage-times"});
  const std::string answer = fixture.text(fixture.complete());
  CHECK(has(answer, R"("cost":1.5,)"));
  CHECK(has(answer, R"("queue_time":0,"prompt_time":0.05,"completion_time":0.02,"total_time":0.07)"));
  Fixture typed({"cost=500000"});
  CHECK(has(typed.text(typed.send("POST", "/v1/responses", R"({"input":"a","max_output_tokens":2})")),
            R"("cost":1)"));
}

TEST_CASE("vendors: a server without tokenize says 404") {
  Fixture fixture({"no-tokenize"});
  CHECK(has(fixture.text(fixture.send("POST", "/tokenize", R"({"prompt":"a"})")), "HTTP/1.1 404 "));
}

TEST_CASE("vendors: the second turn of a conversation finds the first one and its answer in the cache") {
  Fixture fixture({}, 1, "h100-8b");
  std::string question;
  for (int i = 0; i < 60; ++i) question += "the of and ";
  const std::string first =
      fixture.text(fixture.send("POST", "/v1/chat/completions", chat_of(message("user", question))));
  const auto prompt = number_after(first, R"("prompt_tokens":)");
  const auto begin = first.find(R"("content":")") + 11;
  const std::string answer = first.substr(begin, first.find('"', begin) - begin);
  const auto second_turn = chat_of(message("user", question) + "," + message("assistant", answer) + "," +
                                   message("user", "and then"));
  const std::string second = fixture.text(fixture.send("POST", "/v1/chat/completions", second_turn));
  const auto cached = number_after(second, R"("cached_tokens":)");
  CHECK(cached >= (prompt + 40) / 16 * 16 - 16);  // the last token's own keys are never computed
  CHECK(cached <= prompt + 40);
  CHECK(cached > prompt);
}

TEST_CASE("vendors: a repeated prompt is cached, unless the cache or its report is off") {
  std::string question;
  for (int i = 0; i < 60; ++i) question += "the of and ";
  const auto again = [&](const std::vector<std::string>& faults, std::string_view preset) {
    Fixture fixture(faults, 1, preset);
    fixture.text(fixture.send("POST", "/v1/chat/completions", chat_of(message("user", question))));
    return fixture.text(fixture.send("POST", "/v1/chat/completions", chat_of(message("user", question))));
  };
  CHECK(number_after(again({}, "h100-8b"), R"("cached_tokens":)") > 150);
  CHECK(has(again({}, "h100-8b:prefix-cache=off"), R"("cached_tokens":0)"));
  CHECK_FALSE(has(again({"no-cached-tokens"}, "h100-8b"), "cached_tokens"));
}

TEST_CASE("vendors: Anthropic's input tokens are those that no cache had") {
  std::string question;
  for (int i = 0; i < 60; ++i) question += "the of and ";
  Fixture fixture({}, 1, "h100-8b");
  const auto ask = [&] {
    return fixture.text(fixture.send("POST", "/v1/messages", chat_of(message("user", question))));
  };
  const auto whole = number_after(ask(), R"("input_tokens":)");
  const std::string warm = ask();
  const auto cached = number_after(warm, R"("cache_read_input_tokens":)");
  CHECK(cached > 150);
  CHECK(number_after(warm, R"("input_tokens":)") == whole - cached);
}

TEST_CASE("vendors: a thousand streams that are left alone leave the engine empty") {
  Fixture fixture({}, 1, "h100-8b");
  for (int i = 0; i < 1000; ++i) {
    const auto reply = fixture.complete(R"(,"stream":true)");
    fixture.at += 1ms;
    fixture.service.run_due(fixture.at);
    fixture.service.close(*reply, fixture.at);
  }
  const std::string metrics = fixture.text(fixture.send("GET", "/metrics"));
  CHECK(has(metrics, R"(vllm:num_requests_running{engine="0",model_name="sim"} 0)"));
  CHECK(has(metrics, R"(vllm:num_requests_waiting{engine="0",model_name="sim"} 0)"));
  CHECK(has(metrics, R"(vllm:kv_cache_usage_perc{engine="0",model_name="sim"} 0)"));
  CHECK(has(metrics, R"(finished_reason="abort"} 1000)"));
}
