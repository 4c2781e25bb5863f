// From the bytes of a vendor's stream to a figure.
#include <fmt/format.h>

#include "catch.hpp"
#include "infermeter/model/figures.hpp"
#include "protocol/stream/stream_reader.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {

/// A stream whose events arrive one every `gap`, the first one `gap` after it was sent.
RequestRecord read_stream(const std::vector<std::string>& events, Endpoint endpoint, nanoseconds gap) {
  static const ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  record.sent_us = 0;
  const Instant origin{};
  StreamReader reader(*parser, {.endpoint = endpoint}, origin, record);
  reader.on_status(200, origin);
  ReadStamp stamp;
  stamp.kernel = true;
  for (const auto& event : events) {
    ++stamp.read_id;
    stamp.arrival = stamp.last_arrival = origin + stamp.read_id * gap;
    reader.on_body(event, stamp);
  }
  reader.on_end(Outcome::ok, {}, stamp.arrival);
  return record;
}

std::string event(const std::string& type, const std::string& rest) {
  return fmt::format("event: {0}\ndata: {{\"type\":\"{0}\",{1}}}\n\n", type, rest);
}

/// 20 output tokens, of which 15 come as text, one an event.
std::vector<std::string> thinking_stream(const std::string& details) {
  std::vector<std::string> events;
  const std::string start =
      event("message_start",
            R"("message":{"model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}})") +
      event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})");
  for (int i = 0; i < 15; ++i)
    events.push_back(
        (i == 0 ? start : "") +
        event("content_block_delta", R"("index":0,"delta":{"type":"text_delta","text":" word"})"));
  events.back() +=
      event("content_block_stop", R"("index":0)") +
      event("message_delta",
            R"("delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20)" + details + "}") +
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
  return events;
}

std::optional<double> value(const RequestRecord& record, std::string_view figure) {
  return figure_of(*find_figure(figure), record);
}

}  // namespace

TEST_CASE("messages: hidden thinking that only thinking_tokens counts does not make tpot smaller") {
  const auto record = read_stream(thinking_stream(R"(,"output_tokens_details":{"thinking_tokens":5})"),
                                  Endpoint::messages, 10'800us);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.unstreamed_tokens == 5);
  REQUIRE(value(record, "tpot"));
  CHECK(*value(record, "tpot") == Approx(10.8));
}

TEST_CASE("chat: Dynamo's and LM Studio's own times are figures of the server") {
  const std::string text = R"(data: {"choices":[{"index":0,"delta":{"content":"a"}}]})"
                           "\n\n";
  const std::string finish = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}])";
  const auto dynamo =
      read_stream({text, finish + R"(,"nvext":{"timing":{"request_received_ms":1764500000000,)"
                                  R"("prefill_wait_time_ms":3.5,"prefill_time_ms":40.25,"ttft_ms":45.5}}})"
                                  "\n\ndata: [DONE]\n\n"},
                  Endpoint::chat, 1ms);
  CHECK(value(dynamo, "server_queue") == 3.5);
  CHECK(value(dynamo, "server_prefill") == 40.25);
  CHECK(value(dynamo, "server_ttft") == 45.5);
  const auto studio = read_stream(
      {text, finish + "}\n\nevent: chat.end\n" +
                 R"(data: {"type":"chat.end","result":{"stats":{"time_to_first_token_seconds":0.781}}})"
                 "\n\n"},
      Endpoint::chat, 1ms);
  CHECK(value(studio, "server_ttft") == Approx(781));
}
