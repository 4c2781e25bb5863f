// When the tokens of an answer arrived: one walk for all code that counts tokens by time. Pure; any thread.
#pragma once

#include "model/request_view.hpp"

namespace infermeter {

/// Calls sink.add(at_us, tokens) for each arrival. Without kept gaps it calls sink.spread(from_us, to_us,
/// tokens), which assumes an even rate between first and last token. Tokens that no event carried (hidden
/// reasoning) arrive with the first one, an answer without a stream at its end. Where the server did not
/// count, each event stands for `tokens_per_event`.
template <typename Sink>
void walk_tokens(const RequestRecord& record, double tokens_per_event, Sink& sink) {
  const TokenCounts counts = count_tokens(record);
  const double scale = counts.counted ? 1 : tokens_per_event;
  if (!record.first_token_us || record.events == 0) {
    if (record.end_us && counts.generated > 0) sink.add(*record.end_us, scale * counts.generated);
    return;
  }
  const double first = event_tokens(record, counts, 0);
  std::int64_t at = *record.first_token_us;
  sink.add(at, scale * (first + counts.generated - counts.streamed));
  if (!has_arrivals(record)) {
    sink.spread(at, record.last_token_us.value_or(at), scale * (counts.streamed - first));
    return;
  }
  for (std::size_t j = 1; j < record.events; ++j) {
    at += record.gaps_us[j - 1];
    sink.add(at, scale * event_tokens(record, counts, j));
  }
  if (counts.streamed > counts.carried) sink.add(at, scale * (counts.streamed - counts.carried));
}

}  // namespace infermeter
