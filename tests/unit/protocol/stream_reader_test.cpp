#include "protocol/stream/stream_reader.hpp"

#include "catch.hpp"
#include "stream_case.hpp"

using namespace infermeter;
using infermeter::test::kDone;
using namespace std::chrono_literals;
using std::chrono::microseconds;

namespace {

const std::string kAnswer =
    R"(data: {"model":"m-1","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"a"}}]})"
    "\n\n"
    R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":1}})"
    "\n\n";

struct Reading {
  ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  StreamReader reader;
  ReadStamp stamp;

  explicit Reading(StreamOptions options = {}) : reader(*parser, options, Instant{}, record) {
    stamp.kernel = true;
  }

  void read(std::int64_t us, const std::string& bytes) {
    ++stamp.read_id;
    stamp.arrival = stamp.last_arrival = Instant{} + microseconds(us);
    reader.on_body(bytes, stamp);
  }
  void end(Outcome transport = Outcome::ok, std::string_view message = {}, std::int64_t us = 1000) {
    reader.on_end(transport, message, Instant{} + microseconds(us));
  }
};

}  // namespace

TEST_CASE("stream: what the server says of itself is kept") {
  Reading r;
  r.reader.on_status(200, Instant{});
  r.reader.on_header("CF-Ray", "ray");
  r.reader.on_header("X-Request-Id", " theirs ");
  r.reader.on_header("Request-ID", "other");
  r.reader.on_header("OpenAI-Processing-Ms", "12");
  r.read(1, kAnswer + kDone);
  r.end();
  CHECK(r.record.server_request_id == "theirs");
  CHECK(r.record.server_model == "m-1");
  CHECK(r.record.system_fingerprint == "fp");
  CHECK(r.record.server == R"({"headers":{"openai-processing-ms":"12"}})");
  CHECK(r.record.usage == R"({"prompt_tokens":2,"completion_tokens":1})");
}

TEST_CASE("stream: a second status line begins the response anew") {
  Reading r;
  r.reader.on_status(100, Instant{});
  r.reader.on_status(200, Instant{} + 5us);
  r.reader.on_header("x-request-id", "first");
  r.read(10, kAnswer);
  r.reader.on_status(200, Instant{} + 20us);
  r.read(30, kAnswer + kDone);
  r.end();
  CHECK(r.record.outcome == Outcome::ok);
  CHECK(r.record.headers_us == 20);
  CHECK(r.record.first_token_us == 30);
  CHECK(r.record.events == 1);
  CHECK(r.record.output_chars == 1);
  CHECK(r.record.bytes == kAnswer.size() + kDone.size());
  CHECK(r.record.server_request_id.empty());
}

TEST_CASE("stream: other fields of the record are left alone") {
  Reading r;
  r.record.id = 7;
  r.record.sent_us = 3;
  r.record.flags.set(Flag::stale_retry);
  r.reader.on_status(200, Instant{});
  r.read(10, kAnswer + kDone);
  r.end();
  CHECK(r.record.id == 7);
  CHECK(r.record.sent_us == 3);
  CHECK(r.record.flags.has(Flag::stale_retry));
}

TEST_CASE("stream: what never answered ends as its transport says") {
  Reading r;
  r.end(Outcome::connect, "connection\nrefused", 77);
  CHECK(r.record.outcome == Outcome::connect);
  CHECK(r.record.error == "connection refused");
  CHECK(r.record.end_us == 77);
  CHECK(r.record.status == 0);
}

TEST_CASE("stream: cut by us it ends as we say and keeps what came") {
  for (const auto outcome : {Outcome::aborted, Outcome::interrupted, Outcome::timeout, Outcome::cancelled}) {
    Reading r;
    r.read(10, kAnswer.substr(0, kAnswer.find("\n\n") + 2));
    r.end(outcome, "stopped");
    CHECK(r.record.outcome == outcome);
    CHECK(r.record.error == "stopped");
    CHECK(r.record.events == 1);
  }
}

TEST_CASE("stream: past its [DONE] it is ok however the transport ended and ends at [DONE]") {
  for (const auto outcome :
       {Outcome::truncated, Outcome::idle_timeout, Outcome::timeout, Outcome::interrupted}) {
    Reading r;
    r.read(10, kAnswer);
    r.read(20, kDone);
    r.end(outcome, "whatever", 300'000'000);
    CHECK(r.record.outcome == Outcome::ok);
    CHECK(r.record.error.empty());
    CHECK(r.record.end_us == 20);
  }
}

TEST_CASE("stream: silence after the finish is not part of the answer") {
  Reading r;
  r.read(10, kAnswer);
  r.end(Outcome::idle_timeout, "", 300'000'000);
  CHECK(r.record.outcome == Outcome::ok);
  CHECK(r.record.end_us == 10);
  CHECK(r.record.flags.has(Flag::late_transport_idle));
}

TEST_CASE("stream: a clean end without [DONE] is where the transport ended") {
  Reading r;
  r.read(10, kAnswer);
  r.end(Outcome::ok, "", 500);
  CHECK(r.record.end_us == 500);
}

TEST_CASE("stream: a whole answer has its length in time and no first token") {
  StreamOptions options;
  options.stream = false;
  Reading r(options);
  r.reader.on_status(200, Instant{} + 1us);
  r.read(10, R"({"choices":[{"index":0,"message":{"content":"ab"},"finish_reason":"stop"}],)");
  r.read(20, R"("usage":{"prompt_tokens":2,"completion_tokens":2}})");
  r.end(Outcome::ok, "", 30);
  CHECK(r.record.outcome == Outcome::ok);
  CHECK(r.record.first_byte_us == 10);
  CHECK(r.record.end_us == 30);
  CHECK_FALSE(r.record.first_token_us.has_value());
  CHECK_FALSE(r.record.first_event_us.has_value());
  CHECK(r.record.output_tokens == 2);
  CHECK(r.record.gaps_us.empty());
}

TEST_CASE("stream: an error body of any size is read and its message is one line of at most 1 kB") {
  Reading r;
  r.reader.on_status(500, Instant{});
  r.read(1, R"({"pad":")" + std::string(3000, 'p') + R"(","error":{"message":")" + std::string(3000, 'x') +
                "\"}}");
  r.end();
  CHECK(r.record.outcome == Outcome::http_error);
  CHECK(r.record.error == std::string(1024, 'x'));
  CHECK(r.record.bytes > 6000);
}

TEST_CASE("stream: an error status stays one however its body ended") {
  Reading r;
  r.reader.on_status(503, Instant{});
  r.reader.on_header("Retry-After", "1.5");
  r.read(1, "overl");
  r.end(Outcome::truncated, "reset");
  CHECK(r.record.outcome == Outcome::http_error);
  CHECK(r.record.error == "overl");
  CHECK(r.record.retry_after_ms == 1500);
}

TEST_CASE("stream: a redirect is an HTTP error, it is not followed") {
  Reading r;
  r.reader.on_status(308, Instant{});
  r.end();
  CHECK(r.record.outcome == Outcome::http_error);
  CHECK(r.record.error == "HTTP 308");
}

TEST_CASE("stream: JSON of the server that is not valid does not reach the record") {
  Reading r;
  r.read(1,
         "data: "
         "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"timings\":{\"a\":nan},\"usage\":{\"completion_"
         "tokens\":1,\"x\":.}}\n\n");
  r.read(2, kDone);
  r.end();
  CHECK(r.record.outcome == Outcome::ok);
  CHECK(r.record.usage.empty());
  CHECK(r.record.server.empty());
}

TEST_CASE("stream: a nest of ten thousand objects is no danger") {
  std::string nest;
  for (int i = 0; i < 10000; ++i) nest += R"({"x_details":)";
  nest += "1" + std::string(10000, '}');
  std::string parts;
  for (int i = 0; i < 10000; ++i) parts += R"([{"thinking":)";
  Reading r;
  r.read(1, "data: {\"usage\":" + nest + "}\n\n");
  r.read(2, "data: {\"choices\":[{\"delta\":{\"content\":" + parts + "\n\n");
  r.read(3, kAnswer + kDone);
  r.end();
  CHECK(r.record.events == 1);
}

TEST_CASE("stream: text is saved only when it is asked for") {
  Reading r;
  r.read(1, kAnswer + kDone);
  r.end();
  CHECK(r.record.text.empty());
  StreamOptions options;
  options.save_text = true;
  Reading saving(options);
  saving.read(1, kAnswer + kDone);
  saving.end();
  CHECK(saving.record.text == "a");
}

TEST_CASE("stream: a choice that only reasons beside one that repeats its text so far is saved whole") {
  const auto event = [](int choice, const std::string& delta) {
    return "data: {\"choices\":[{\"index\":" + std::to_string(choice) + ",\"delta\":{" + delta + "}}]}\n\n";
  };
  StreamOptions options;
  options.save_text = true;
  Reading r(options);
  r.read(1, event(2, R"("reasoning":"Th")"));
  for (const std::string text : {"one", "one two", "one two three"})
    r.read(2, event(0, R"("content":")" + text + "\""));
  r.read(3, kDone);
  r.end();
  CHECK(r.record.text == "[choice 0]\none two three\n[choice 1]\n\n[choice 2]\n<think>Th</think>");
}

TEST_CASE("stream: readers of one thread take turns with one parser") {
  const ChunkParserPtr parser = make_chunk_parser();
  RequestRecord records[2];
  StreamReader first(*parser, {}, Instant{}, records[0]);
  StreamReader second(*parser, {}, Instant{}, records[1]);
  StreamReader moved(std::move(first));
  const std::string body = kAnswer + kDone;
  for (std::size_t i = 0; i < body.size(); ++i) {
    ReadStamp stamp;
    stamp.read_id = i;
    moved.on_body(body.substr(i, 1), stamp);
    second.on_body(body.substr(i, 1), stamp);
  }
  moved.on_end(Outcome::ok, "", Instant{});
  second.on_end(Outcome::ok, "", Instant{});
  CHECK(records[0].events == 1);
  CHECK(records[1].events == 1);
  CHECK(records[0].usage == records[1].usage);
}

TEST_CASE("stream: what follows the end changes nothing") {
  Reading r;
  r.read(1, kAnswer + kDone);
  r.end();
  r.read(2, kAnswer);
  r.end(Outcome::connect, "again");
  CHECK(r.record.outcome == Outcome::ok);
  CHECK(r.record.events == 1);
}
