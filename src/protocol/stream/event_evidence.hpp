// Counts what the events of one stream show about their tokens: text, words, events without text. Two
// counters an event; kept in the record only where it is needed. One per response.
#pragma once

#include <cstdint>
#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

class EvidenceCounter {
 public:
  /// A piece of text of a token-bearing event.
  void add_text(std::string_view text) {
    seen_.text_bytes += static_cast<std::uint32_t>(text.size());
    const bool inner = text.size() > 2 && text.substr(1, text.size() - 2).find(' ') != std::string_view::npos;
    if (inner) ++seen_.several;
    if (inner || (!text.empty() && (text.front() == ' ' || text.back() == ' '))) ++seen_.spaced;
  }
  /// An event without text, which may be a token.
  void add_bare() { ++seen_.bare_after; }
  /// An event with text, after its texts were added; `tokens`: of the event, 0: unknown. `first`: of the
  /// stream.
  void add_event(std::int64_t tokens, bool first) {
    if (first) begin(tokens);
    if (seen_.bare_after > 0) pass_bare();
  }
  /// The stream is over, and its counts are in the record. `choices`: n; `counted`: every event gave its
  /// number of tokens.
  void keep(std::size_t choices, bool counted, RequestRecord& record);

 private:
  void begin(std::int64_t tokens);
  void pass_bare();

  EventEvidence seen_;  // `bare_after`: the last event with text so far
};

}  // namespace infermeter
