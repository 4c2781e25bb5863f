#include "protocol/stream/event_evidence.hpp"

#include <utility>

namespace infermeter {

void EvidenceCounter::add_text(std::string_view text, bool first) {
  seen_.text_bytes += static_cast<std::uint32_t>(text.size());
  if (first) seen_.first_bytes = seen_.text_bytes;
  if (seen_.bare_after > 0)
    (first ? seen_.bare_before : seen_.bare_between) += std::exchange(seen_.bare_after, 0);
  if (text.empty()) return;
  const std::size_t space = text.find(' ', 1);
  const bool inner = space < text.size() - 1;
  seen_.several += inner ? 1 : 0;
  seen_.spaced += space != std::string_view::npos || text.front() == ' ' ? 1 : 0;
}

// Not where N is the number of events, or one end token more for each choice, or each event was counted:
// nearly all records stay without it.
void EvidenceCounter::keep(std::size_t choices, std::uint32_t first_tokens, RequestRecord& record) {
  if (!record.output_tokens || record.token_source == TokenSource::events || record.events < 2) return;
  const std::int64_t hidden = record.unstreamed_tokens.value_or(0);
  const std::int64_t beyond = *record.output_tokens - hidden - std::int64_t{record.events};
  if (!record.gap_tokens.empty() || (beyond >= 0 && beyond <= static_cast<std::int64_t>(choices))) return;
  // Hidden reasoning is in the first difference of a continuous usage.
  seen_.first_tokens = hidden > 0 ? 0 : first_tokens;
  record.evidence.write() = seen_;
}

}  // namespace infermeter
