// hot_path COUNT: processes COUNT events from body bytes to record, and nothing else: bench/instructions
// counts its instructions for two numbers of events.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "protocol/stream/stream_reader.hpp"

namespace {

using namespace infermeter;

constexpr std::string_view kEvent =
    R"(data: {"id":"chatcmpl-exact","object":"chat.completion.chunk","created":1700000000,"model":"exact",)"
    R"("choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]})"
    "\n\n";

std::uint32_t read_events(std::uint32_t count) {
  RequestRecord record;
  const auto parser = make_chunk_parser();
  StreamReader reader(*parser, {.max_tokens = count}, Instant{}, record);
  reader.on_status(200, Instant{});
  reader.on_header("content-type", "text/event-stream");
  ReadStamp stamp{.kernel = true};
  for (std::uint32_t i = 0; i < count; ++i) {
    stamp.read_id = i + 1;
    stamp.arrival += 10ms;
    stamp.last_arrival = stamp.arrival;
    reader.on_body(kEvent, stamp);
  }
  reader.on_end(Outcome::ok, "", stamp.arrival);
  return record.events;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t count = 0;
  if (argc != 2 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), count).ec != std::errc{}) {
    fmt::print(stderr, "hot_path COUNT\n");
    return 2;
  }
  fmt::print("{} token-bearing events\n", read_events(count));
}
