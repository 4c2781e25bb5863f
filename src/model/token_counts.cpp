#include "model/token_counts.hpp"

#include <algorithm>
#include <numeric>

namespace infermeter {

namespace {

bool has_event_tokens(const RequestRecord& record) {
  return !record.gap_tokens.empty() && record.gap_tokens.size() == record.events;
}

double sum_of_events(const RequestRecord& record) {
  return std::accumulate(record.gap_tokens.begin(), record.gap_tokens.end(), 0.0);
}

/// N, or nothing where the server did not count.
std::optional<double> total_tokens(const RequestRecord& record) {
  if (record.token_source == TokenSource::events) return std::nullopt;
  if (record.output_tokens) return static_cast<double>(*record.output_tokens);
  if (record.token_source == TokenSource::usage) return std::nullopt;
  return has_event_tokens(record) ? sum_of_events(record) : static_cast<double>(record.events);
}

/// One token per event: N = k, plus one for a counted end token of each choice.
bool one_each(const RequestRecord& record, double streamed) {
  const double k = record.events;
  return streamed >= k && streamed <= k + static_cast<double>(choice_count(record));
}

}  // namespace

TokenCounts count_tokens(const RequestRecord& record) {
  const double k = record.events;
  const auto total = total_tokens(record);
  if (!total) return {.generated = k, .streamed = k, .carried = k};
  TokenCounts counts{.counted = true, .generated = *total};
  counts.streamed = std::max(0.0, *total - static_cast<double>(record.unstreamed_tokens.value_or(0)));
  if (has_event_tokens(record)) {
    counts.per_event_known = true;
    counts.carried = std::min(sum_of_events(record), counts.streamed);
  } else {
    counts.per_event_known = one_each(record, counts.streamed);
    counts.carried = counts.per_event_known ? k : counts.streamed;
  }
  return counts;
}

double event_tokens(const RequestRecord& record, const TokenCounts& counts, std::size_t event) {
  if (has_event_tokens(record)) {
    const double tokens = record.gap_tokens[event];
    // Hidden reasoning appears in the first difference of a continuous usage; its event did not carry it.
    return event > 0 ? tokens : std::max(0.0, tokens - (sum_of_events(record) - counts.carried));
  }
  if (record.events == 0) return 0;
  return counts.carried / record.events;
}

std::size_t choice_count(const RequestRecord& record) {
  const auto last = std::ranges::max_element(record.event_choice);
  return last == record.event_choice.end() ? 1 : std::size_t{*last} + 1;
}

bool has_arrivals(const RequestRecord& record) {
  return record.first_token_us && record.events > 0 && record.gaps_us.size() + 1 == record.events;
}

}  // namespace infermeter
