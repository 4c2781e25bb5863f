// Counts what the events of one stream show about their tokens: text, words, events without text. Two
// counters an event; kept in the record only where it is needed. One per response.
#pragma once

#include <cstdint>
#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

class EvidenceCounter {
 public:
  /// A piece of text of a token-bearing event; `first`: of the first one.
  void add_text(std::string_view text, bool first);
  /// An event without text, which may be a token.
  void add_bare() { ++seen_.bare_after; }
  /// The stream is over, and its counts are in the record. `choices`: n; `first_tokens`: of the first event,
  /// if the server counted every event; else 0.
  void keep(std::size_t choices, std::uint32_t first_tokens, RequestRecord& record);

 private:
  EventEvidence seen_;  // `bare_after`: the last event with text so far
};

}  // namespace infermeter
