// What a reader keeps of events whose tokens the count alone does not give.
#include "catch.hpp"
#include "protocol/stream/stream_reader.hpp"
#include "stream_case.hpp"

using namespace infermeter;
using infermeter::test::kDone;
using namespace std::chrono_literals;

namespace {

std::string text_delta(const std::string& text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}

std::string counted(int tokens) {
  return R"(data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":)" + std::to_string(tokens) +
         "}}\n\n";
}

const std::string kOpening = R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})"
                             "\n\n";
const std::string kEnding = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
                            "\n\n";

/// The record of a stream with each of these in a read of its own.
RequestRecord record_of(const std::vector<std::string>& reads, StreamOptions options = {}) {
  RequestRecord record;
  const auto parser = make_chunk_parser();
  StreamReader reader(*parser, options, Instant(1s), record);
  reader.on_status(200, Instant(1s));
  ReadStamp stamp;
  for (const auto& bytes : reads) {
    ++stamp.read_id;
    stamp.arrival = stamp.last_arrival = Instant(1s + stamp.read_id * 1ms);
    reader.on_body(bytes, stamp);
  }
  reader.on_end(Outcome::ok, "", Instant(2s));
  return record;
}

}  // namespace

TEST_CASE("evidence: nothing is kept where one token an event explains the count") {
  const auto record =
      record_of({kOpening, text_delta("Hi"), text_delta(" there"), kEnding, counted(3), kDone});
  CHECK(record.evidence->text_bytes == 0);
}

TEST_CASE("evidence: text and words are counted where the count says more than the events") {
  const auto record = record_of({kOpening, text_delta("One"), text_delta(" two three"), text_delta(" four"),
                                 kEnding, counted(9), kDone});
  CHECK(record.evidence->text_bytes == 3 + 10 + 5);
  CHECK(record.evidence->first_bytes == 3);
  CHECK(record.evidence->spaced == 2);
  CHECK(record.evidence->several == 1);
}

TEST_CASE("evidence: events without text are counted before, between and after, but not the role") {
  const auto bare = text_delta("");
  const auto record = record_of({kOpening, bare, bare, text_delta("a"), bare, text_delta("b"), bare, bare,
                                 bare, kEnding, counted(20), kDone});
  CHECK(record.evidence->bare_before == 2);
  CHECK(record.evidence->bare_between == 1);
  CHECK(record.evidence->bare_after == 3);
}

TEST_CASE("evidence: without kept gaps the first event's own count stays") {
  const auto with = [](int tokens) {
    return R"(data: {"choices":[{"index":0,"delta":{"content":"ab"}}],"usage":{"completion_tokens":)" +
           std::to_string(tokens) + "}}\n\n";
  };
  const std::vector<std::string> reads{kOpening, with(1), with(5), with(9), kEnding, counted(9), kDone};
  CHECK(record_of(reads).evidence->first_tokens == 0);
  CHECK(record_of(reads).gap_tokens == std::vector<std::uint32_t>{1, 4, 4});
  CHECK(record_of(reads, {.save_gaps = false}).evidence->first_tokens == 1);
}
