// Arbitrary bytes, cut anywhere, give a record without a crash, and the same record for every cut.
#include "targets.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>

#include "protocol/stream/stream_reader.hpp"

namespace infermeter::fuzz {
namespace {

// The last two bytes of an input choose how it is read, so that a stream as it is on the wire is a seed.
struct Input {
  StreamOptions options;
  int status = 200;
  std::string_view content_type;
  Outcome transport = Outcome::ok;
  std::size_t step = 1;
  std::string_view body;
};

Input input_of(std::string_view bytes) {
  Input out;
  const auto choice = static_cast<unsigned char>(bytes[bytes.size() - 1]);
  const auto second = static_cast<unsigned char>(bytes[bytes.size() - 2]);
  out.options.endpoint = kEndpoints[second % kEndpoints.size()].endpoint;
  out.options.stream = (choice & 1) == 0;
  out.options.save_text = (choice & 2) != 0;
  out.options.save_gaps = (choice & 4) == 0;
  out.options.max_tokens = choice & 8;
  out.status = (choice & 0x30) == 0x30 ? 422 : 200;
  if ((choice & 0x40) != 0) out.content_type = "application/x-ndjson";
  out.transport = (choice & 0x80) != 0 ? Outcome::idle_timeout : Outcome::ok;
  out.step = std::size_t{1} + second;
  out.body = bytes.substr(0, bytes.size() - 2);
  return out;
}

RequestRecord read(const Input& input, std::size_t step) {
  static const ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  StreamReader reader(*parser, input.options, Instant{}, record);
  reader.on_status(input.status, Instant{});
  if (!input.content_type.empty()) reader.on_header("content-type", input.content_type);
  ReadStamp stamp;
  for (std::size_t at = 0; at < input.body.size(); at += step) {
    ++stamp.read_id;
    stamp.arrival += std::chrono::microseconds(1);
    reader.on_body(input.body.substr(at, step), stamp);
  }
  reader.on_end(input.transport, "over", stamp.arrival);
  return record;
}

void compare(const RequestRecord& a, const RequestRecord& b) {
  must(a.outcome == b.outcome);
  must(a.error == b.error);
  must(a.events == b.events);
  must(a.output_tokens == b.output_tokens);
  must(a.usage == b.usage);
  must(a.server == b.server);
  must(a.text == b.text);
  must(a.output_chars == b.output_chars);
  must(a.gap_tokens == b.gap_tokens);
  must(a.event_choice == b.event_choice);
  must(a.finish_reason == b.finish_reason);
  must(a.items == b.items);
  must(a.prompt_tokens == b.prompt_tokens);
}

void check(const RequestRecord& record, const Input& input) {
  must(record.error.size() <= 1100);
  must(record.bytes == input.body.size());
  if (!input.options.save_gaps) return must(record.gaps_us.empty() && record.gap_tokens.empty());
  must(record.gaps_us.size() == (record.events == 0 ? 0 : record.events - 1));
  must(record.gap_tokens.empty() || record.gap_tokens.size() == record.events);
  must(record.event_choice.empty() || record.event_choice.size() == record.events);
}

}  // namespace

void stream(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const Input input = input_of(bytes);
  const auto whole = read(input, input.body.size() + 1);
  const auto parts = read(input, input.step);
  check(whole, input);
  check(parts, input);
  compare(whole, parts);
}

}  // namespace infermeter::fuzz
