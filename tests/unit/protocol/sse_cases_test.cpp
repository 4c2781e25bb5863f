#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "protocol/stream/sse_parser.hpp"
#include "stream_case.hpp"

using namespace infermeter;
using test::StreamCase;

namespace {

std::vector<std::string> flags_of(const RequestRecord& record) {
  std::vector<std::string> out;
  for (const auto name : record.flags.names()) {
    // The reads decide which events share a read, not the body.
    if (name != "packed" && name != "late" && name != "buffered_stream") out.emplace_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void check_text(const RequestRecord& record, const std::string& key, const std::string& wanted) {
  INFO(key);
  if (key == "error") {
    CHECK(record.error.size() >= wanted.size());
    CHECK(record.error.find(wanted) != std::string::npos);
  }
  if (key == "text") CHECK(record.text == wanted);
  if (key == "finish") CHECK(record.finish_reason == wanted);
  if (key == "usage") CHECK(record.usage == wanted);
  if (key == "reasoning") CHECK(name(record.reasoning) == wanted);
  if (key == "source") CHECK(name(record.token_source) == wanted);
  if (key == "model") CHECK(record.server_model == wanted);
  if (key == "rate_limits") {
    std::string said;
    for (const auto& [header, value] : *record.rate_limits) said += fmt::format("{}: {}\n", header, value);
    CHECK(said == wanted);
  }
  if (key == "times_from") CHECK(record.server_times->from == wanted);
  if (key == "cost") CHECK(fmt::format("{}", record.cost.value_or(-1)) == wanted);
  if (key == "server") CHECK(record.server.substr(0, 1 + wanted.size()).find(wanted) != std::string::npos);
}

void check_number(const RequestRecord& record, const std::string& key, std::int64_t wanted) {
  INFO(key);
  if (key == "chars") CHECK(record.output_chars == static_cast<std::uint64_t>(wanted));
  if (key == "cached") CHECK(record.cached_tokens == wanted);
  if (key == "cache_write") CHECK(record.cache_write_tokens == wanted);
  if (key == "server_ttft_us") CHECK(std::llround(record.server_times->ttft_ms.value_or(-1) * 1e3) == wanted);
  if (key == "prompt") CHECK(record.prompt_tokens == wanted);
  if (key == "unstreamed") CHECK(record.unstreamed_tokens == wanted);
  if (key == "reasoning_tokens") CHECK(record.reasoning_tokens == wanted);
  if (key == "http") CHECK(record.status == wanted);
  if (key == "items") CHECK(record.items == wanted);
  if (key == "retry_after_ms") CHECK(record.retry_after_ms == wanted);
}

void check_list(const RequestRecord& record, const std::string& key, const std::vector<int>& wanted) {
  INFO(key);
  if (key == "gap_tokens")
    CHECK(std::vector<int>(record.gap_tokens.begin(), record.gap_tokens.end()) == wanted);
  if (key == "event_choice") {
    CHECK(std::vector<int>(record.event_choice.begin(), record.event_choice.end()) == wanted);
  }
}

void check(const StreamCase& wanted, const RequestRecord& record) {
  const auto& expected = wanted.expected;
  INFO(wanted.name);
  CHECK(name(record.outcome) == expected.outcome);
  CHECK(record.events == expected.events);
  CHECK(record.output_tokens == expected.output_tokens);
  CHECK(flags_of(record) == expected.flags);
  CHECK(record.error.empty() == (expected.outcome == "ok" && !record.flags.has(Flag::odd_event)));
  CHECK(record.bytes == wanted.body().size());
  for (const auto& [key, text] : expected.texts) check_text(record, key, text);
  for (const auto& [key, number] : expected.numbers) check_number(record, key, number);
  for (const auto& [key, list] : expected.lists) check_list(record, key, list);
}

std::vector<std::string> byte_by_byte(const std::string& body) {
  std::vector<std::string> out;
  for (const char c : body) out.emplace_back(1, c);
  return out;
}

// For each event: the number of bytes until it was complete.
std::vector<std::size_t> event_ends(const std::string& body) {
  std::vector<std::size_t> out;
  SseParser parser;
  SseEvent event;
  for (std::size_t i = 0; i < body.size(); ++i) {
    parser.feed(std::string_view(body).substr(i, 1));
    while (parser.next(event)) out.push_back(i + 1);
  }
  return out;
}

void check_instant(const Micros& instant, const std::optional<std::size_t>& event,
                   const std::vector<std::size_t>& ends) {
  REQUIRE(instant.has_value() == event.has_value());
  if (event) CHECK(static_cast<std::size_t>(*instant) == ends.at(*event));
}

// Long bodies are cut at their ends and at a few other places: every cut of 300 kB is quadratic.
bool worth_a_cut(std::size_t at, std::size_t size) {
  return size < 4096 || at < 200 || at + 200 > size || at % 4099 == 0;
}

}  // namespace

TEST_CASE("sse: every case read as it came gives its expected result") {
  for (const auto& stream_case : test::load_cases())
    check(stream_case, test::read_case(stream_case, stream_case.reads));
}

TEST_CASE("sse: every case read byte by byte gives its expected result") {
  for (const auto& stream_case : test::load_cases()) {
    check(stream_case, test::read_case(stream_case, byte_by_byte(stream_case.body())));
  }
}

TEST_CASE("sse: a case split in two at any byte is the same case") {
  for (const auto& stream_case : test::load_cases()) {
    const std::string body = stream_case.body();
    for (std::size_t at = 1; at < body.size(); ++at) {
      if (!worth_a_cut(at, body.size())) continue;
      INFO("split at " << at);
      check(stream_case, test::read_case(stream_case, {body.substr(0, at), body.substr(at)}));
    }
  }
}

TEST_CASE("sse: the first token of every case is the event that its file names") {
  for (const auto& stream_case : test::load_cases()) {
    INFO(stream_case.name);
    const std::string body = stream_case.body();
    const auto ends = event_ends(body);
    const auto record = test::read_case(stream_case, byte_by_byte(body));
    if (stream_case.expected.ttft) check_instant(record.first_token_us, *stream_case.expected.ttft, ends);
    if (stream_case.expected.ttfo) check_instant(record.first_output_us, *stream_case.expected.ttfo, ends);
  }
}

TEST_CASE("sse: comments are counted and never dispatched") {
  for (const auto& stream_case : test::load_cases()) {
    const auto wanted = stream_case.expected.numbers.find("comments");
    if (wanted == stream_case.expected.numbers.end()) continue;
    SseParser parser;
    SseEvent event;
    const std::string body = stream_case.body();
    parser.feed(body);
    while (parser.next(event)) CHECK(event.data.front() != ':');
    CHECK(parser.comments() == static_cast<std::uint64_t>(wanted->second));
  }
}
