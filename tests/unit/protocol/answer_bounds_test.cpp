// Answers that no server in its right mind gives: what is believed of their counts and times, and where they
// are cut.
#include "protocol/stream/answer_bounds.hpp"

#include <string>

#include "catch.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/http/server_identity.hpp"
#include "protocol/request/body.hpp"
#include "stream_case.hpp"

using namespace infermeter;
using infermeter::test::kDone;
using std::chrono::microseconds;

namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

const std::string kDeepList = repeated("[", 80'000) + repeated("]", 80'000);
const std::string kEvent = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";

StreamOptions limited(std::uint32_t tokens, Endpoint endpoint = Endpoint::chat) {
  return {.endpoint = endpoint, .max_tokens = tokens, .most_tokens = tokens};
}

struct Answer {
  ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  StreamReader reader;
  ReadStamp stamp;

  explicit Answer(const StreamOptions& options) : reader(*parser, options, Instant{}, record) {
    record.sent_us = 0;
    stamp.kernel = true;
  }
  Answer& read(std::string_view bytes) {
    ++stamp.read_id;
    stamp.arrival = stamp.last_arrival = Instant{} + microseconds(10 * stamp.read_id);
    reader.on_body(bytes, stamp);
    return *this;
  }
  RequestRecord& end(std::int64_t us = 1'000'000) {
    reader.on_end(Outcome::ok, {}, Instant{} + microseconds(us));
    return record;
  }
};

/// Three events, a usage object and [DONE].
RequestRecord told(const std::string& usage, const StreamOptions& options = limited(128)) {
  Answer answer(options);
  return answer
      .read(kEvent + kEvent + kEvent +
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":" + usage +
            "}\n\n" + kDone)
      .end();
}

bool is_odd(const std::string& usage, const StreamOptions& options = limited(128)) {
  const RequestRecord record = told(usage, options);
  const bool odd = record.flags.has(Flag::odd_usage);
  CHECK(record.outcome == Outcome::ok);
  if (odd) {
    CHECK_FALSE(record.output_tokens);
    CHECK_FALSE(record.cached_tokens);
    CHECK(record.token_source == TokenSource::events);
    CHECK(record.events == 3);
  }
  return odd;
}

}  // namespace

TEST_CASE("bounds: 10^12 completion tokens of three events are not believed") {
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":1000000000000})"));
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":2049})"));
  CHECK_FALSE(is_odd(R"({"prompt_tokens":9,"completion_tokens":2048})"));
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":10000001})", limited(0)));
  CHECK_FALSE(is_odd(R"({"prompt_tokens":9,"completion_tokens":10000000})", limited(0)));
}

TEST_CASE("bounds: three events with 30,000 hidden tokens are fair where the limit allows them") {
  const std::string usage =
      R"({"prompt_tokens":9,"completion_tokens":30003,"completion_tokens_details":{"reasoning_tokens":30000}})";
  const RequestRecord record = told(usage, limited(32'000));
  CHECK_FALSE(record.flags.has(Flag::odd_usage));
  CHECK(record.output_tokens == 30'003);
  CHECK(record.unstreamed_tokens == 30'000);
  CHECK(is_odd(usage, limited(128)));
}

TEST_CASE("bounds: a part that is larger than its whole is not believed") {
  CHECK(is_odd(
      R"({"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":1000000000000}})"));
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":3,"cached_tokens":10})"));
  CHECK_FALSE(is_odd(R"({"prompt_tokens":9,"completion_tokens":3,"cached_tokens":9})"));
  // The total shows that the prompt leaves the cached ones out.
  const std::string apart =
      R"({"prompt_tokens":9,"completion_tokens":3,"total_tokens":32,"cached_tokens":20})";
  CHECK_FALSE(is_odd(apart));
  CHECK(told(apart).prompt_tokens == 29);
  CHECK(is_odd(
      R"({"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":90}})"));
  CHECK(is_odd(
      R"({"prompt_tokens":9,"completion_tokens":3,"completion_tokens_details":{"rejected_prediction_tokens":4}})"));
  CHECK(is_odd(R"({"prompt_tokens":100000001,"completion_tokens":3})"));
}

TEST_CASE("bounds: a total below what it is the total of was believed") {
  const auto usage = [](const char* total, const char* more = "") {
    return std::string(R"({"prompt_tokens":900,"completion_tokens":30,"total_tokens":)") + total + more + "}";
  };
  CHECK(is_odd(usage("899")));
  CHECK(is_odd(usage("30")));
  CHECK(is_odd(usage("20")));
  CHECK(is_odd(usage("929")));
  CHECK_FALSE(is_odd(usage("930")));
  CHECK_FALSE(is_odd(usage("0")));
  // Some servers leave cached tokens or reasoning out of the total.
  CHECK_FALSE(is_odd(usage("920", R"(,"completion_tokens_details":{"reasoning_tokens":10})")));
  CHECK(is_odd(usage("919", R"(,"completion_tokens_details":{"reasoning_tokens":10})")));
  CHECK_FALSE(is_odd(usage("905", R"(,"prompt_tokens_details":{"cached_tokens":25})")));
  CHECK(is_odd(usage("899", R"(,"prompt_tokens_details":{"cached_tokens":500})")));
  CHECK(is_odd(R"({"prompt_tokens":900,"total_tokens":20})"));
}

TEST_CASE("bounds: counts that are negative, broken or beyond any number are not believed") {
  for (const char* count : {"-1", "1.5", "1e30", "99999999999999999999", "9223372036854775807", "\"-7\"",
                            "\"12x\"", "\"99999999999999999999\""}) {
    CAPTURE(count);
    CHECK(is_odd(std::string(R"({"prompt_tokens":9,"completion_tokens":)") + count + "}"));
    CHECK(is_odd(std::string(R"({"completion_tokens":3,"prompt_tokens":)") + count + "}"));
    CHECK(is_odd(std::string(R"({"prompt_tokens":9,"completion_tokens":3,"cached_tokens":)") + count + "}"));
    CHECK(is_odd(std::string(R"({"prompt_tokens":9,"completion_tokens":3,"total_tokens":)") + count + "}"));
  }
  for (const char* count : {"3", "3.0", "\"3\"", "null", "\"\"", "\"n/a\"", "{}", "[]"}) {
    CAPTURE(count);
    CHECK_FALSE(is_odd(std::string(R"({"prompt_tokens":9,"completion_tokens":)") + count + "}"));
  }
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":3,"cost":1e308})"));
  CHECK(is_odd(R"({"prompt_tokens":9,"completion_tokens":3,"cost":-1})"));
}

TEST_CASE("bounds: the counts of Messages are not summed beyond what a number holds") {
  const RequestRecord record =
      Answer(limited(128, Endpoint::messages))
          .read(
              "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9000000000000000,"
              "\"cache_read_input_tokens\":9000000000000000,\"cache_creation_input_tokens\":9000000000000000}"
              "}}\n\n"
              "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"a\"}}\n\n"
              "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":"
              "{\"output_tokens\":1}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
          .end();
  CHECK(record.flags.has(Flag::odd_usage));
  CHECK_FALSE(record.prompt_tokens);
}

TEST_CASE("bounds: cached tokens that llama.cpp sends beside usage are bounded by the prompt too") {
  const auto answer = [](const std::string& cached) {
    return Answer(limited(128))
        .read(kEvent +
              "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":"
              "{\"prompt_tokens\":9,\"completion_tokens\":1},\"timings\":{\"cache_n\":" +
              cached + "}}\n\n" + kDone)
        .end();
  };
  CHECK(answer("9").cached_tokens == 9);
  CHECK(answer("10").flags.has(Flag::odd_usage));
}

TEST_CASE("bounds: an answer that goes on is cut at 16 events for each token of its limit") {
  Answer answer(limited(8));
  for (int i = 0; i < 1000 && !answer.reader.broken_off(); ++i) answer.read(kEvent);
  CHECK(answer.reader.broken_off());
  const RequestRecord& record = answer.end();
  CHECK(record.events == 128);
  CHECK(record.outcome == Outcome::truncated);
  CHECK(record.flags.has(Flag::over_limit));
  CHECK(record.error == "cut after 128 events: the limit was 8 tokens");
}

TEST_CASE("bounds: one read of many events is cut at the same event, and nothing after it is read") {
  Answer answer(limited(8));
  answer.read(repeated(kEvent, 5000)).read(repeated(kEvent, 5000) + kDone);
  CHECK(answer.end().events == 128);
}

TEST_CASE("bounds: an answer that streams characters ends ok below the bound") {
  Answer answer(limited(8));
  const RequestRecord& record =
      answer
          .read(repeated(kEvent, 120) +
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" + kDone)
          .end();
  CHECK(record.outcome == Outcome::ok);
  CHECK_FALSE(record.flags.has(Flag::over_limit));
}

TEST_CASE("bounds: events without a token have a bound too") {
  Answer answer(limited(8));
  answer.read(kEvent).read(repeated("data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n", 5000));
  CHECK(answer.reader.broken_off());
  CHECK(answer.end().flags.has(Flag::over_limit));
}

TEST_CASE("bounds: an event of more than 16 MB ends its answer at once") {
  Answer answer(limited(8));
  const std::string piece(1 << 20, 'x');
  answer.read(kEvent + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"");
  int reads = 0;
  while (!answer.reader.broken_off() && reads < 64) {
    answer.read(piece);
    ++reads;
  }
  CHECK(reads == 16);
  const RequestRecord& record = answer.end();
  CHECK(record.outcome == Outcome::protocol);
  CHECK(record.error == "an event of more than 16 MB");
}

TEST_CASE("bounds: a whole answer is held up to what its limit explains, not up to 64 MB") {
  StreamOptions options = limited(128);
  options.stream = false;
  Answer answer(options);
  answer.read("{\"choices\":[{\"message\":{\"content\":\"");
  const std::string piece(1 << 18, 'x');
  int reads = 0;
  while (!answer.reader.broken_off() && reads < 512) {
    answer.read(piece);
    ++reads;
  }
  CHECK(reads == 6);  // 1 MB and 4 kB for each token
  const RequestRecord& record = answer.end();
  CHECK(record.outcome == Outcome::protocol);
  CHECK(record.error == "an answer of more than 1.573 MB that is no stream");
}

TEST_CASE("bounds: an error body that has no end is not waited for") {
  Answer answer(limited(8));
  answer.reader.on_status(500, Instant{});
  answer.read("{\"error\":{\"message\":\"busy\"}}");
  for (int i = 0; i < 64 && !answer.reader.broken_off(); ++i) answer.read(std::string(1 << 16, ' '));
  CHECK(answer.reader.broken_off());
  const RequestRecord& record = answer.end();
  CHECK(record.outcome == Outcome::http_error);
  CHECK(record.error == "busy");
}

TEST_CASE("bounds: an event nested 80,000 levels deep is named with its depth") {
  for (const auto endpoint : {Endpoint::chat, Endpoint::responses, Endpoint::messages}) {
    const RequestRecord record =
        Answer(limited(128, endpoint)).read("data: {\"usage\":" + kDeepList + "}\n\n" + kDone).end();
    CHECK(record.outcome == Outcome::protocol);
    CHECK(record.error.starts_with(
        "an event is nested 80,001 levels deep; 256 at most are read: {\"usage\":[["));
  }
}

TEST_CASE("bounds: deep usage, timings and tool input end no program") {
  for (const char* field :
       {"\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,\"x\":", "\"timings\":{\"x\":",
        "\"metrics\":{\"x\":\r\n", "\"error\":{\"message\":", "\"choices\":{\"x\":"}) {
    CAPTURE(field);
    const RequestRecord record =
        Answer(limited(128))
            .read(kEvent + "data: {" + std::string(field) + kDeepList + "}}\n\n" + kDone)
            .end();
    CHECK(record.usage.size() < 100'000);
    CHECK(record.server.size() < 100'000);
  }
  StreamOptions whole = limited(128, Endpoint::messages);
  whole.stream = false;
  const RequestRecord record =
      Answer(whole).read("{\"type\":\"message\",\"content\":[{\"input\":" + kDeepList + "}]}").end();
  CHECK(record.outcome == Outcome::protocol);
  CHECK(record.error == "the answer is nested 80,003 levels deep; 256 at most are read");
}

TEST_CASE("bounds: a deep list of models, a deep error body and deep JSON in its message end no program") {
  CHECK(parse_models("{\"data\":[{\"id\":\"m\",\"x\":" + kDeepList + "}]}").empty());
  CHECK_NOTHROW(read_error_body(400, "{\"error\":" + kDeepList + "}"));
  CHECK_NOTHROW(
      read_error_body(400, "{\"error\":{\"message\":\"upstream: {\\\"error\\\":" + kDeepList + "}\"}}"));
  CHECK_NOTHROW(read_error_body(400, "{'error': " + kDeepList + "}"));
}

TEST_CASE("bounds: raw usage of megabytes is left out of the record, its counts are not") {
  const RequestRecord record =
      told(R"({"prompt_tokens":9,"completion_tokens":3,"pad":")" + std::string(100'000, 'x') + R"("})");
  CHECK(record.output_tokens == 3);
  CHECK(record.usage.empty());
}

TEST_CASE("bounds: listed tokens are bounded by the limit as counted ones are") {
  const std::string event =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"token_ids\":[1" +
      repeated(",1", 3000) + "],\"finish_reason\":\"stop\"}]}\n\n";
  const RequestRecord record = Answer(limited(128)).read(event + kDone).end();
  CHECK(record.flags.has(Flag::odd_usage));
  CHECK_FALSE(record.output_tokens);
}

TEST_CASE("bounds: what is kept of usage and times leaves the record's line readable") {
  const auto kept = [](std::size_t levels) {
    return Answer(limited(128))
        .read(kEvent +
              "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"timings\":" +
              "{\"x\":" + repeated("[", levels) + repeated("]", levels) + "}}\n\n" + kDone)
        .end();
  };
  CHECK_FALSE(kept(63).server.empty());
  CHECK(kept(64).server.empty());
  CHECK(kept(250).outcome == Outcome::ok);
}

TEST_CASE("bounds: server times longer than the request or beyond any time are left out") {
  const auto queue = [](const std::string& value) {
    return Answer(limited(128))
        .read(kEvent +
              "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
              "\"metrics\":{\"queue_time_ms\":" +
              value + "}}\n\n" + kDone)
        .end(500'000);
  };
  CHECK(queue("12").server_times->queue_ms == 12);
  for (const char* value : {"1e308", "-5", "3600000", "\"inf\"", "\"nan\""}) {
    CAPTURE(value);
    const RequestRecord record = queue(value);
    CHECK(record.flags.has(Flag::odd_times));
    CHECK_FALSE(record.server_times->any());
    CHECK(record.outcome == Outcome::ok);
  }
}

TEST_CASE("bounds: the limit of an answer is what its body says") {
  Request request;
  RequestShape shape;
  shape.output_tokens = 64;
  CHECK(BodyTemplate(shape).most_tokens() == 64);
  request.output_tokens = 100;
  CHECK(BodyTemplate(shape).most_tokens(request) == 100);
  request.extra_body = R"({"max_tokens":500,"n":2})";
  CHECK(BodyTemplate(shape).most_tokens(request) == 1000);
  shape.extra_body = R"({"max_completion_tokens":4096})";
  CHECK(BodyTemplate(shape).most_tokens() == 4096);
  shape.extra_body = R"({"max_tokens":null})";
  CHECK(BodyTemplate(shape).most_tokens() == 0);
  shape.extra_body.clear();
  shape.max_tokens_field.clear();
  CHECK(BodyTemplate(shape).most_tokens() == 0);
  shape.options.emplace_back("n", "3");
  shape.max_tokens_field = "max_tokens";
  CHECK(BodyTemplate(shape).most_tokens() == 192);
}
