// Counts allocations on the hot path (docs: an event allocates nothing in steady state). These tests have
// their own executable, because they replace operator new for all of it.
#include <cstdlib>
#include <new>

#include "catch.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace {
std::size_t allocations = 0;
std::size_t allocated_bytes = 0;

void* counted(std::size_t size) {
  ++allocations;
  allocated_bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}

void* counted_or_throw(std::size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted_or_throw(size); }
void* operator new[](std::size_t size) { return counted_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace infermeter;

namespace {

constexpr int kEvents = 10'000;

std::string chunk(const std::string& inside) {
  return R"(data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":"tok\n"},"logprobs":null,"finish_reason":null}])" +
         inside + "}\n\n";
}

std::string with_usage(int n) {
  return chunk(R"(,"usage":{"prompt_tokens":7,"completion_tokens":)" + std::to_string(2 * n) +
               R"(,"total_tokens":9})");
}

// Allocations from the 100th event to the last.
std::size_t allocations_in_steady_state(const std::vector<std::string>& events, std::size_t cut,
                                        Endpoint endpoint = Endpoint::chat) {
  const ChunkParserPtr parser = make_chunk_parser();
  StreamOptions options;
  options.endpoint = endpoint;
  options.max_tokens = kEvents;
  RequestRecord record;
  StreamReader reader(*parser, options, Instant{}, record);
  ReadStamp stamp;
  std::size_t before = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i == 100) before = allocations;
    const std::string_view bytes = events[i];
    for (const auto part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      ++stamp.read_id;
      stamp.arrival += std::chrono::microseconds(10);
      reader.on_body(part, stamp);
    }
  }
  const std::size_t counted = allocations - before;
  CHECK(record.events == events.size());
  return counted;
}

}  // namespace

TEST_CASE("allocations: 10,000 events make none") {
  const std::vector<std::string> events(kEvents, chunk(""));
  CHECK(allocations_in_steady_state(events, 0) == 0);
}

TEST_CASE("allocations: 10,000 events cut over two reads make none") {
  const std::vector<std::string> events(kEvents, ": ping\r\n\r\nevent: message\r\n" + chunk(""));
  CHECK(allocations_in_steady_state(events, 150) == 0);
}

TEST_CASE("allocations: 10,000 events of two tokens with continuous usage and timings make none") {
  std::vector<std::string> events;
  for (int i = 1; i <= kEvents; ++i) events.push_back(with_usage(10'000 + i));
  CHECK(allocations_in_steady_state(events, 0) == 0);
}

TEST_CASE("allocations: 10,000 events of responses and of messages make none") {
  const std::vector<std::string> responses(
      kEvents,
      "event: response.output_text.delta\ndata: {\"content_index\":0,\"delta\":\"tok\\n\","
      "\"logprobs\":[],\"sequence_number\":4,\"type\":\"response.output_text.delta\"}\n\n");
  CHECK(allocations_in_steady_state(responses, 0, Endpoint::responses) == 0);
  const std::vector<std::string> messages(
      kEvents,
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
      "\"delta\":{\"type\":\"text_delta\",\"text\":\"tok\\n\"}}\n\n");
  CHECK(allocations_in_steady_state(messages, 60, Endpoint::messages) == 0);
}

TEST_CASE("memory: a reader and its record take less than 3.2 kB beside the samples") {
  const ChunkParserPtr parser = make_chunk_parser();
  const std::string whole = chunk(""), part = whole.substr(0, 100);  // not the reader's
  std::size_t taken = 0;
  for (int warm_then_measured = 0; warm_then_measured < 2; ++warm_then_measured) {
    const std::size_t before = allocated_bytes;
    RequestRecord record;
    StreamReader reader(*parser, {}, Instant{}, record);
    ReadStamp stamp;
    reader.on_status(200, Instant{});
    reader.on_body(whole, stamp);
    reader.on_body(part, stamp);
    taken = allocated_bytes - before + sizeof(record);
  }
  CHECK(taken < 3200);
}
