// Requests in, replies out, on the engine's virtual time: no socket, no clock.
#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "service_fixture.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

TEST_CASE("service: tokens become ready at the engine's instants") {
  Fixture fixture;
  fixture.at += 7ms;
  std::string bytes;
  const auto reply = fixture.complete(R"(,"stream":true)");
  const auto instants = fixture.drain(*reply, bytes);
  CHECK(instants == std::vector<nanoseconds>{7ms, 57ms, 67ms, 77ms});
  CHECK(reply->ending == Ending::keep_alive);
}

TEST_CASE("service: a time scale of 2 is twice as slow") {
  Fixture fixture({}, 2);
  std::string bytes;
  CHECK(fixture.drain(*fixture.complete(R"(,"stream":true)"), bytes) ==
        std::vector<nanoseconds>{0ms, 100ms, 120ms, 140ms});
  CHECK_THROWS_AS(Fixture({}, 0), UsageError);
}

TEST_CASE("service: late is sent at once and engine time does not drift") {
  Fixture fixture;
  std::string bytes;
  const auto reply = fixture.complete(R"(,"stream":true)");
  fixture.at += 65ms;  // head, then two overdue tokens
  CHECK(fixture.drain(*reply, bytes) == std::vector<nanoseconds>{65ms, 65ms, 65ms, 70ms});
}

TEST_CASE("service: tokenize counts what usage reports") {
  Fixture fixture;
  const std::string counted = fixture.text(fixture.send("POST", "/tokenize", R"({"prompt":"the of"})"));
  CHECK(has(counted, R"({"count":3,)"));
  CHECK(has(fixture.text(fixture.complete()), R"("prompt_tokens":3,)"));
}

TEST_CASE("service: models, version, health and metrics answer") {
  Fixture fixture;
  CHECK(has(fixture.text(fixture.send("GET", "/v1/models")), R"("id":"sim","object":"model")"));
  CHECK(has(fixture.text(fixture.send("GET", "/v1/models/sim")), R"({"id":"sim")"));
  CHECK(has(fixture.text(fixture.send("GET", "/health?x=1")), "HTTP/1.1 200 OK"));
  CHECK(has(fixture.text(fixture.send("GET", "/version")), R"({"version":")"));
  fixture.text(fixture.complete());
  const std::string metrics = fixture.text(fixture.send("GET", "/metrics"));
  CHECK(
      has(metrics, R"(vllm:request_success_total{engine="0",model_name="sim",finished_reason="length"} 1)"));
  CHECK(has(metrics, R"(vllm:time_to_first_token_seconds_sum{engine="0",model_name="sim"} 0.05)"));
  CHECK(has(metrics, R"(vllm:inter_token_latency_seconds_count{engine="0",model_name="sim"} 2)"));
}

TEST_CASE("service: unknown paths are 404 and wrong methods 405") {
  Fixture fixture;
  CHECK(has(fixture.text(fixture.send("GET", "/v2")), "HTTP/1.1 404 Not Found"));
  CHECK(has(fixture.text(fixture.send("POST", "/v1/models")), "HTTP/1.1 405 Method Not Allowed"));
  const std::string wrong = fixture.text(fixture.send("GET", "/v1/chat/completions"));
  CHECK(has(wrong, "HTTP/1.1 405 "));
  CHECK(has(wrong, "allow: POST\r\n"));
}

TEST_CASE("service: the client's request id comes back") {
  Fixture fixture;
  CHECK(has(fixture.text(fixture.complete()), "x-request-id: r-1\r\n"));
}

TEST_CASE("service: a client that leaves frees its place") {
  Fixture fixture;
  const auto reply = fixture.complete(R"(,"stream":true)");
  CHECK(has(fixture.text(fixture.send("GET", "/metrics")), "vllm:num_requests_running"));
  Fixture left;
  const auto open = left.complete(R"(,"stream":true)");
  left.service.close(*open, left.at + 1ms);
  CHECK_FALSE(left.service.next_due().has_value());
  CHECK(has(left.text(left.send("GET", "/metrics")), R"(finished_reason="abort"} 1)"));
}

TEST_CASE("service: whole-answer faults are answered without the engine") {
  const auto answer = [](std::string fault) {
    Fixture fixture({std::move(fault)});
    return fixture.text(fixture.complete());
  };
  CHECK(has(answer("429=2"), "HTTP/1.1 429 Too Many Requests"));
  CHECK(has(answer("429=2"), "retry-after: 2\r\n"));
  CHECK(has(answer("429=350ms"), "retry-after-ms: 350\r\n"));
  CHECK(has(answer("500"), "HTTP/1.1 500 "));
  CHECK_FALSE(has(answer("503"), "retry-after"));
  CHECK(has(answer("html502"), "HTTP/1.1 502 Bad Gateway"));
  CHECK(has(answer("html502"), "content-type: text/html"));
  CHECK(has(answer("html200"), "HTTP/1.1 200 OK"));
}

TEST_CASE("service: a refused field is 400 only where the body has it") {
  Fixture fixture({"refuse=max_tokens", "refuse=include_usage"});
  CHECK(has(fixture.text(fixture.complete()), R"("param":"max_tokens")"));
  const std::string nested = fixture.text(fixture.send(
      "POST", "/v1/completions", R"({"prompt":"a","stream":true,"stream_options":{"include_usage":true}})"));
  CHECK(has(nested, R"("param":"include_usage")"));
  CHECK(has(fixture.text(fixture.send("POST", "/v1/completions", R"({"prompt":"a"})")), "HTTP/1.1 200"));
}

TEST_CASE("service: a stale connection is reset only where it was used before") {
  Fixture fixture({"stale"});
  const auto reply = fixture.complete("", true);
  CHECK(reply->ending == Ending::reset);
  CHECK(reply->outbox.empty());
  CHECK(has(fixture.text(fixture.complete()), "HTTP/1.1 200 OK"));
}

TEST_CASE("service: answers end by themselves only where eos says so and ignore_eos does not") {
  Fixture fixture({"eos=5"});
  int stopped = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string answer =
        fixture.text(fixture.send("POST", "/v1/completions", R"({"prompt":"a","max_tokens":1000})"));
    stopped += has(answer, R"("finish_reason":"stop")");
  }
  CHECK(stopped == 50);
  CHECK(has(fixture.text(fixture.send("POST", "/v1/completions",
                                      R"({"prompt":"a","max_tokens":100,"ignore_eos":true})")),
            R"("completion_tokens":100)"));
  CHECK(has(fixture.text(fixture.send("POST", "/v1/completions",
                                      R"({"prompt":"a","max_tokens":100,"min_tokens":100})")),
            R"("completion_tokens":100)"));
}

TEST_CASE("service: a chat without a limit stops by itself") {
  Fixture fixture;
  CHECK(has(fixture.text(fixture.send("POST", "/v1/chat/completions",
                                      R"({"messages":[{"role":"user","content":"a"}]})")),
            R"("finish_reason":"stop")"));
}

TEST_CASE("service: more than the engine's context is refused with its size") {
  Fixture fixture({}, 1, "h100-8b");
  const std::string answer =
      fixture.text(fixture.send("POST", "/v1/completions", R"({"prompt":"a","max_tokens":100000000})"));
  CHECK(has(answer, "HTTP/1.1 400 "));
  CHECK(has(answer, "maximum context length is"));
}
