#include "model/request_view.hpp"

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

void add_ends_only(const RequestRecord& record, const TokenCounts& counts, ChoiceStream& stream) {
  stream.arrivals_us.push_back(*record.first_token_us);
  stream.tokens.push_back(event_tokens(record, counts, 0));
  stream.total = counts.streamed;
  if (record.events < 2 || !record.last_token_us) return;
  stream.arrivals_us.push_back(*record.last_token_us);
  stream.tokens.push_back(counts.carried - stream.tokens.front());
}

void add_events(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  std::int64_t at = *record.first_token_us;
  const bool apart = record.event_choice.size() == record.events;
  for (std::size_t j = 0; j < record.events; ++j) {
    if (j > 0) at += record.gaps_us[j - 1];
    auto& stream = out[apart ? record.event_choice[j] : 0];
    stream.arrivals_us.push_back(at);
    stream.tokens.push_back(event_tokens(record, counts, j));
  }
}

/// Σ m_j and this choice's share of the tokens counted in addition (an end token each).
void add_totals(const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  const double beyond = (counts.streamed - counts.carried) / static_cast<double>(out.size());
  for (auto& stream : out) {
    stream.whole = true;
    stream.total = std::accumulate(stream.tokens.begin(), stream.tokens.end(), beyond);
  }
  if (out.size() == 1) out.front().total = counts.streamed;
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

void split_choices(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  if (record.flags.has(Flag::uncarried_tokens)) return out.clear();
  const bool arrivals = has_arrivals(record);
  out.resize(arrivals ? choice_count(record) : 1);
  for (auto& stream : out) {
    stream.arrivals_us.clear();
    stream.tokens.clear();
    stream.whole = false;
  }
  if (arrivals) {
    add_events(record, counts, out);
    add_totals(counts, out);
  } else if (record.first_token_us && record.events > 0) {
    add_ends_only(record, counts, out.front());
  }
  std::erase_if(out, [](const ChoiceStream& stream) { return stream.arrivals_us.empty(); });
}

void RequestView::look_at(const RequestRecord& record) {
  record_ = &record;
  counted_ = split_ = false;
}

const TokenCounts& RequestView::counts() {
  if (!counted_) counts_ = count_tokens(*record_);
  counted_ = true;
  return counts_;
}

std::span<const ChoiceStream> RequestView::streams() {
  if (!split_) split_choices(*record_, counts(), streams_);
  split_ = true;
  return streams_;
}

}  // namespace infermeter
