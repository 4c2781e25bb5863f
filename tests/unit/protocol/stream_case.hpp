// Response bodies as data: the files of tests/data/sse, and how they are read into a record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/stream/stream_reader.hpp"

namespace infermeter::test {

inline const std::string kDone = "data: [DONE]\n\n";

struct Expected {
  std::string outcome;
  std::uint32_t events = 0;
  std::optional<std::int64_t> output_tokens;
  std::vector<std::string> flags;  // except packed, late and buffered_stream, which depend on the reads
  // Index of the first token-bearing event, and of the first visible one; null: there is none.
  std::optional<std::optional<std::size_t>> ttft, ttfo;
  std::map<std::string, std::string> texts;  // error (its last part), text, finish, usage, server (a part), …
  std::map<std::string, std::int64_t> numbers;    // comments, chars, cached, prompt, unstreamed, …
  std::map<std::string, std::vector<int>> lists;  // gap_tokens, event_choice
};

struct StreamCase {
  std::string name, title;
  std::vector<std::string> reads;
  std::string end;  // eof, reset, idle
  StreamOptions options;
  std::optional<int> status;
  std::map<std::string, std::string> headers;
  Expected expected;
  std::string body() const;
};

std::vector<StreamCase> load_cases();

/// Delivers `reads` one microsecond apart, starting at 1 µs, each with a kernel stamp and a prompt client.
RequestRecord read_case(const StreamCase& stream_case, const std::vector<std::string>& reads);

}  // namespace infermeter::test
