#include "protocol/stream/event_evidence.hpp"

#include <algorithm>
#include <utility>

namespace infermeter {

void EvidenceCounter::begin(std::int64_t tokens) {
  seen_.first_bytes = seen_.text_bytes;
  seen_.first_tokens = static_cast<std::uint32_t>(std::max<std::int64_t>(tokens, 0));
  seen_.bare_before = std::exchange(seen_.bare_after, 0);
}

void EvidenceCounter::pass_bare() { seen_.bare_between += std::exchange(seen_.bare_after, 0); }

// Not where N is the number of events, or one end token more for each choice, or each event was counted:
// nearly all records stay without it.
void EvidenceCounter::keep(std::size_t choices, bool counted, RequestRecord& record) {
  if (!record.output_tokens || record.token_source == TokenSource::events || record.events < 2) return;
  const std::int64_t hidden = record.unstreamed_tokens.value_or(0);
  const std::int64_t beyond = *record.output_tokens - hidden - std::int64_t{record.events};
  if (!record.gap_tokens.empty() || (beyond >= 0 && beyond <= static_cast<std::int64_t>(choices))) return;
  // Hidden reasoning is in the first difference of a continuous usage.
  if (!counted || hidden > 0) seen_.first_tokens = 0;
  record.evidence.write() = seen_;
}

}  // namespace infermeter
