// One answer's bytes and events, with every fault that changes its form.
#include "catch.hpp"
#include "generation_driver.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

TEST_CASE("generation: a stream of two tokens is these bytes") {
  const Told told = tell({.output = 2});
  CHECK(told.head ==
        "HTTP/1.1 200 OK\r\nserver: infermeter-sim\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
        "content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n\r\n");
  CHECK(
      told.body ==
      R"(data: {"id":"id","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"id":"id","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{"content":" field"},"logprobs":null,"finish_reason":null}]}

data: {"id":"id","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{"content":" of"},"logprobs":null,"finish_reason":"length"}]}

data: {"id":"id","object":"chat.completion.chunk","created":5,"model":"m","choices":[],"usage":{"prompt_tokens":7,"total_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}

data: [DONE]

)");
}

TEST_CASE("generation: chunked framing wraps each event in one chunk and ends with the empty one") {
  const Told told = tell({.output = 1, .usage = false, .framing = Framing::chunked});
  CHECK(has(told.head, "transfer-encoding: chunked\r\n"));
  CHECK(told.body.starts_with("b3\r\ndata: {"));
  CHECK(told.body.ends_with("\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"));
}

TEST_CASE("generation: N tokens are N events, role with the first and finish with the last") {
  const Told told = tell({});
  CHECK(told.kinds == "rttttud");
  CHECK(told.tokens == std::vector<std::uint32_t>{0, 1, 1, 1, 1, 0, 0});
  CHECK(told.writes.size() == 4);  // one an emission
  CHECK(times(told.body, R"("finish_reason":"length")") == 1);
}

TEST_CASE("generation: completions have text and no role") {
  const Told told = tell({.output = 2, .endpoint = Endpoint::completions});
  CHECK(told.kinds == "ttud");
  CHECK(has(told.body, R"("object":"text_completion")"));
  CHECK(has(told.body, R"({"index":0,"text":")"));
}

TEST_CASE("generation: each choice has its own role, text and finish") {
  const Told told = tell({.output = 2, .choices = 2});
  CHECK(told.kinds == "rtrtttud");
  CHECK(times(told.body, R"({"index":1,)") == 3);
  CHECK(has(told.body, R"("completion_tokens":4)"));
}

TEST_CASE("generation: several tokens at once are one event, as with speculation") {
  Generation generation = make({.output = 7});
  const Told told = tell(generation, 3);
  CHECK(told.kinds == "rtttud");
  CHECK(told.tokens == std::vector<std::uint32_t>{0, 3, 3, 1, 0, 0});
}

TEST_CASE("generation: a body has the same tokens and usage as the stream") {
  const Told told = tell({.output = 2, .stream = false});
  CHECK(told.writes.size() == 1);
  CHECK(
      told.body ==
      R"({"id":"id","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":" field of"},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":7,"total_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}})");
}

TEST_CASE("generation: quirks change which events there are") {
  CHECK(kinds({"no-usage"}) == "rttttd");
  CHECK(kinds({"no-done"}) == "rttttu");
  CHECK(kinds({"finish-event"}) == "rttttfud");
  CHECK(kinds({"empty-tokens=2"}) == "reettud");
  CHECK(kinds({"tokens-per-event=3"}) == "rttud");
  CHECK(kinds({"reasoning=hidden,3"}) == "rtud");
  CHECK(kinds({"reasoning=hidden,100%"}) == "fud");
  CHECK(kinds({"reasoning=streamed,3"}) == "rgggtud");
  CHECK(kinds({"reasoning=streamed,1", "empty-tokens=1", "tokens-per-event=2"}) == "rgetud");
  CHECK(kinds({"reasoning=stripped,3"}) == "rtud");
  CHECK(kinds({"reasoning=lump,3"}) == "rgtud");
  CHECK(kinds({"silent-end=2"}) == "rttfud");
  CHECK(kinds({"usage=finish"}) == "rttttd");
  CHECK(kinds({"inband"}) == "rttxd");
  CHECK(kinds({"reset"}) == "rtt");
  CHECK(kinds({"truncate"}) == "rtt");
}

TEST_CASE("generation: usage stands where it is asked for and nowhere else") {
  const auto usages = [](const Asked& asked) { return times(tell(asked).body, R"("usage":{)"); };
  CHECK(usages({.usage = false}) == 0);
  CHECK(usages({.faults = {"usage=always"}, .usage = false}) == 1);
  CHECK(usages({.continuous = true}) == 6);
  CHECK(usages({.faults = {"usage=every"}, .usage = false}) == 5);
  CHECK(usages({.faults = {"usage=finish"}, .usage = false}) == 1);
  CHECK(usages({.faults = {"usage=x-groq"}}) == 2);
  CHECK(has(tell({.faults = {"usage=x-groq"}}).body, R"("x_groq":{"id":"id","usage":{)"));
  CHECK(has(tell({.faults = {"usage=choice"}}).body, R"("finish_reason":"length","usage":{)"));
  CHECK(times(tell({.faults = {"usage=zero"}}).body, R"("completion_tokens":0)") == 5);
  CHECK(usages({.faults = {"no-usage"}, .stream = false}) == 0);
}

TEST_CASE("generation: continuous usage counts up from 0 at the role") {
  const Told told = tell({.output = 2, .continuous = true});
  const auto zero = told.body.find(R"("completion_tokens":0)");
  const auto one = told.body.find(R"("completion_tokens":1)");
  const auto two = told.body.find(R"("completion_tokens":2)");
  CHECK(zero < one);
  CHECK(one < two);
  CHECK(two != std::string::npos);
}

TEST_CASE("generation: reasoning is counted in usage whether it shows or not") {
  const Told hidden = tell({.faults = {"reasoning=hidden,3"}});
  CHECK(has(hidden.body, R"("completion_tokens":4)"));
  CHECK(has(hidden.body, R"("reasoning_tokens":3)"));
  const Told streamed = tell({.faults = {"reasoning=streamed,3"}});
  CHECK(times(streamed.body, R"("delta":{"reasoning":")") == 3);
  const Told stripped = tell({.faults = {"reasoning=stripped,3"}});
  CHECK(has(stripped.body, R"("completion_tokens":4)"));
  CHECK_FALSE(has(stripped.body, "reasoning_tokens"));
  CHECK(has(streamed.body, R"("reasoning_tokens":3)"));
}

TEST_CASE("generation: texts carry the echo, the end marker and CRLF where wanted") {
  CHECK(has(tell({.faults = {"echo"}}).body, R"({"content":"say \"hi\")"));
  CHECK(times(tell({.faults = {"end-marker"}}).body, "<|im_end|>") == 1);
  const Told crlf = tell({.faults = {"crlf"}});
  CHECK(times(crlf.body, "\r\n\r\n") == 7);
  CHECK(times(crlf.body, "\n\n") == 0);
  CHECK(times(tell({.faults = {"no-finish"}}).body, R"("finish_reason":null)") == 5);
}

TEST_CASE("generation: role-first comes before the engine's first token") {
  Generation generation = make({.faults = {"role-first"}});
  generation.begin(kStart);
  CHECK(has(std::string(generation.reply().outbox.ready()), R"("role":"assistant")"));
  CHECK(kinds({"role-first"}) == "rttttud");
}

TEST_CASE("generation: packed events share writes, buffered ones all of them") {
  CHECK(tell({.faults = {"pack=3"}, .output = 8}).writes.size() == 3);  // r t t | t t t | t t t u d
  CHECK(tell({.faults = {"buffer"}, .output = 8}).writes.size() == 1);
  CHECK(tell({.faults = {"buffer"}, .output = 8}).kinds == "rttttttttud");
}

TEST_CASE("generation: a burst sends nothing before the last token, and then one event at a time") {
  Generation generation = make({.faults = {"burst=1ms"}, .output = 3});
  const Told told = tell(generation);
  CHECK(told.kinds == "rtttud");
  const auto& sent = generation.reply().outbox.sent();
  for (std::size_t i = 0; i < sent.size(); ++i)
    CHECK(sent[i].at == kStart + 30ms + std::min<std::size_t>(i, sent.size() - 1) * 1ms);
}

TEST_CASE("generation: a split event leaves in two writes, stamped by the second") {
  Generation generation = make({.faults = {"split=2ms"}, .output = 3});
  const Told told = tell(generation);
  CHECK(told.writes.size() == 6);
  CHECK(told.kinds == "rtttud");
  CHECK(generation.reply().outbox.sent()[0].at == kStart + 12ms);
}

TEST_CASE("generation: a stall holds the second half back and then sends it at once") {
  Generation generation = make({.faults = {"stall=1s"}, .output = 6});
  const Told told = tell(generation);
  CHECK(told.kinds == "rttttttud");
  const auto& sent = generation.reply().outbox.sent();
  CHECK(sent[3].at == kStart + 30ms);
  CHECK(sent[4].at == kStart + 30ms + 1s);
  CHECK(sent.back().at == kStart + 30ms + 1s);
}

TEST_CASE("generation: heartbeats pass a stall and end with the stream") {
  const Told told = tell({.faults = {"stall=1s", "heartbeat=100ms"}, .output = 6});
  CHECK(times(told.body, ": keep-alive\n\n") == 10);
  CHECK(told.kinds == "rttttttud");
}

TEST_CASE("generation: a cut ends the connection as its name says and wants no more tokens") {
  const auto ending = [](std::string fault, bool stream) {
    Generation generation = make({.faults = {std::move(fault)}, .stream = stream});
    tell(generation);
    CHECK(generation.over());
    CHECK(generation.was_cut());
    return generation.reply().ending;
  };
  for (const bool stream : {true, false}) {
    CHECK(ending("reset", stream) == Ending::reset);
    CHECK(ending("truncate", stream) == Ending::close);
    CHECK(ending("inband", stream) == Ending::keep_alive);
  }
  const Told body = tell({.faults = {"inband"}, .stream = false});
  CHECK(has(body.head, "HTTP/1.1 500 "));
}

TEST_CASE("generation: the request's metrics stand beside usage in wall time") {
  const Told told = tell({.faults = {"request-metrics"}});
  CHECK(has(
      told.body,
      R"("metrics":{"time_to_first_token_ms":5.000000,"generation_time_ms":30.000000,"queue_time_ms":5.000000,"mean_itl_ms":10.000000,"tokens_per_second":100.000000})"));
}

TEST_CASE("generation: not-stream answers a streaming request with one body") {
  const Told told = tell({.faults = {"not-stream"}});
  CHECK(has(told.head, "content-type: application/json"));
  CHECK(told.kinds.empty());
  CHECK(has(told.body, R"("object":"chat.completion")"));
}
