// The streams of the Responses API and of Anthropic's Messages: named events in their order.
#include "catch.hpp"
#include "generation_driver.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;

namespace {

Told responses(std::vector<std::string> faults = {}, std::uint32_t output = 2) {
  return tell({.faults = std::move(faults), .output = output, .endpoint = Endpoint::responses});
}
Told messages(std::vector<std::string> faults = {}, std::uint32_t output = 2) {
  return tell({.faults = std::move(faults), .output = output, .endpoint = Endpoint::messages});
}

// The names of the events, in order.
std::vector<std::string> names(const std::string& body) {
  std::vector<std::string> found;
  for (auto at = body.find("event: "); at != std::string::npos; at = body.find("event: ", at + 1))
    found.push_back(body.substr(at + 7, body.find('\n', at) - at - 7));
  return found;
}

}  // namespace

TEST_CASE("responses: a stream of two tokens is these events") {
  const Told told = responses();
  CHECK(names(told.body) ==
        std::vector<std::string>{"response.created", "response.in_progress", "response.output_item.added",
                                 "response.content_part.added", "response.output_text.delta",
                                 "response.output_text.delta", "response.output_text.done",
                                 "response.content_part.done", "response.output_item.done",
                                 "response.incomplete"});
  CHECK(told.kinds == "oooottoood");
  CHECK(has(
      told.body,
      R"(data: {"type":"response.created","sequence_number":0,"response":{"id":"id","object":"response","created_at":5,"status":"in_progress","error":null,"incomplete_details":null,"model":"m","output":[],"usage":null}})"));
  CHECK(has(
      told.body,
      R"(data: {"type":"response.output_text.delta","sequence_number":4,"output_index":0,"item_id":"msg_id","content_index":0,"delta":" field","logprobs":[]})"));
  CHECK(has(told.body, R"("text":" field of"})"));
  CHECK_FALSE(has(told.body, "[DONE]"));
}

TEST_CASE("responses: the terminal event has status, output and usage") {
  const Told cut_short = responses();
  CHECK(has(
      cut_short.body,
      R"(data: {"type":"response.incomplete","sequence_number":9,"response":{"id":"id","object":"response","created_at":5,"status":"incomplete","error":null,"incomplete_details":{"reason":"max_output_tokens"},"model":"m","output":[{"id":"msg_id","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":" field of"}]}],"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":3},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":9}}})"));
  const Told whole = tell({.output = 2, .endpoint = Endpoint::responses, .limited = false});
  CHECK(names(whole.body).back() == "response.completed");
  CHECK(has(whole.body, R"("status":"completed","error":null,"incomplete_details":null)"));
  CHECK(names(responses({"no-done"}).body).back() == "response.output_item.done");
  CHECK(has(responses({"no-usage"}).body, R"("usage":null}})"));
}

TEST_CASE("responses: reasoning is an item of its own, as text or as the summary that was asked for") {
  const Told text = responses({"reasoning=streamed,2"}, 3);
  CHECK(text.kinds == "ooooggoooootoood");
  CHECK(times(text.body, "event: response.reasoning_text.delta\n") == 2);
  CHECK(has(text.body, R"("output_index":1,"item_id":"msg_id")"));
  CHECK(has(text.body, R"("reasoning_tokens":2)"));
  const Told summary = tell({.faults = {"reasoning=streamed,2"},
                             .output = 3,
                             .endpoint = Endpoint::responses,
                             .form = {.reasoning_summary = true}});
  CHECK(times(summary.body, "event: response.reasoning_summary_text.delta\n") == 2);
  CHECK(has(summary.body, R"("item_id":"rs_id","summary_index":0)"));
  CHECK_FALSE(has(summary.body, "response.reasoning_text"));
}

TEST_CASE("responses: a failure in the stream is an error event and then response.failed") {
  const Told told = responses({"inband"}, 4);
  const auto found = names(told.body);
  CHECK(found[found.size() - 2] == "error");
  CHECK(found.back() == "response.failed");
  CHECK(has(told.body, R"("error":{"type":"server_error","code":"server_error",)"));
  CHECK(has(told.body, R"("status":"failed","error":{"code":"server_error",)"));
}

TEST_CASE("messages: a stream of two tokens is these bytes") {
  CHECK(messages().body ==
        R"(event: message_start
data: {"type":"message_start","message":{"id":"id","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":3,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" field"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" of"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":3,"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

)");
  CHECK(messages().kinds == "roottofd");
}

TEST_CASE("messages: thinking is a block before the text and ends with its signature") {
  const Told told = messages({"reasoning=streamed,2"}, 3);
  CHECK(told.kinds == "rooggoootofd");
  CHECK(times(told.body, R"("type":"thinking_delta")") == 2);
  CHECK(times(told.body, R"("type":"signature_delta")") == 1);
  CHECK(has(told.body, R"({"type":"content_block_start","index":1,"content_block":{"type":"text")"));
}

TEST_CASE("messages: a failure in the stream is one error event and nothing after it") {
  const Told told = messages({"inband"}, 4);
  CHECK(names(told.body).back() == "error");
  CHECK(has(told.body, R"(data: {"type":"error","error":{"type":"api_error","message":)"));
}

TEST_CASE("messages: heartbeats are pings and lines end as asked") {
  CHECK(times(messages({"stall=1s", "heartbeat=100ms"}, 6).body, "event: ping\n") == 11);
  CHECK(times(messages({"crlf"}).body, "event: message_stop\r\ndata: ") == 1);
}

TEST_CASE("typed streams: a hidden answer still opens and ends") {
  CHECK(messages({"reasoning=hidden,100%"}).kinds == "rfd");
  CHECK(responses({"reasoning=hidden,100%"}).kinds == "ood");
}

TEST_CASE("typed streams: bodies have the same text and usage as the streams") {
  const Told message = tell({.output = 2, .endpoint = Endpoint::messages, .stream = false});
  CHECK(
      message.body ==
      R"({"id":"id","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":" field of"}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":3,"output_tokens":2}})");
  const Told response = tell({.output = 2, .endpoint = Endpoint::responses, .stream = false});
  CHECK(has(response.body, R"("status":"incomplete")"));
  CHECK(has(response.body, R"("text":" field of"}]}],"usage":{"input_tokens":7,)"));
  const Told thought = tell(
      {.faults = {"reasoning=streamed,1"}, .output = 2, .endpoint = Endpoint::messages, .stream = false});
  CHECK(has(thought.body, R"("content":[{"type":"thinking","thinking":" field","signature":)"));
}

TEST_CASE("typed streams: thinking is switched off and measured out by the request") {
  const auto thoughts = [](Thinking thinking, double effort) {
    return times(
        tell({.faults = {"reasoning=streamed,50%"}, .output = 8, .thinking = thinking, .effort = effort})
            .body,
        R"("delta":{"reasoning":")");
  };
  CHECK(thoughts(Thinking::unsaid, 1) == 4);
  CHECK(thoughts(Thinking::on, 1) == 4);
  CHECK(thoughts(Thinking::off, 1) == 0);
  CHECK(thoughts(Thinking::unsaid, 0.5) == 2);
  CHECK(thoughts(Thinking::unsaid, 1.5) == 6);
}
