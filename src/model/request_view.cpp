#include "model/request_view.hpp"

#include <algorithm>
#include <numeric>

#include "model/stream_speed.hpp"

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

/// Tokens that came in events without text, where each event is one token: with these, and perhaps an end
/// token and an unlisted first event of each choice, N is what events came.
bool bare_are_tokens(const RequestRecord& record, double streamed) {
  const auto& seen = *record.evidence;
  const double bare = seen.bare_before + seen.bare_between + seen.bare_after;
  const double left = streamed - record.events - bare;
  return bare > 0 && left >= 0 && left <= 2 * static_cast<double>(choice_count(record));
}

/// m_1 of events of unknown size: N/k, unless its text shows that it is much smaller (the prefill's one token
/// before those of a stream interval or of speculation) or larger. Each event holds at least one token.
double first_share(const RequestRecord& record, double carried) {
  constexpr double kMuch = 2;
  const auto& seen = *record.evidence;
  const double even = carried / record.events;
  if (seen.first_bytes == 0 || seen.text_bytes == 0 || choice_count(record) > 1 || even <= 1) return even;
  const double share = static_cast<double>(seen.first_bytes) / static_cast<double>(seen.text_bytes);
  const double by_text = share * carried;
  if (by_text * kMuch > even && by_text < kMuch * even) return even;
  return std::clamp(by_text, 1.0, std::max(1.0, carried - record.events + 1));
}

void count_spread(const RequestRecord& record, TokenCounts& counts) {
  const auto& seen = *record.evidence;
  const bool bare = bare_are_tokens(record, counts.streamed);
  if (bare) counts.streamed -= seen.bare_before + seen.bare_after;
  counts.per_event_known = one_each(record, counts.streamed);
  counts.carried = counts.per_event_known ? record.events : counts.streamed;
  if (counts.per_event_known) return;
  if (bare) counts.first = 1;
  if (seen.first_tokens > 0 && seen.first_tokens <= counts.streamed) counts.first = seen.first_tokens;
}

void add_ends_only(const RequestRecord& record, const TokenCounts& counts, ChoiceStream& stream) {
  stream.arrivals_us.push_back(*record.first_token_us);
  stream.tokens.push_back(event_tokens(record, counts, 0));
  stream.total = counts.carried;
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

/// Σ m_j: what is counted beyond it (an end token, tokens that never came) is in no gap.
void add_totals(std::vector<ChoiceStream>& out) {
  for (auto& stream : out) {
    stream.whole = true;
    stream.total = std::accumulate(stream.tokens.begin(), stream.tokens.end(), 0.0);
  }
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
    count_spread(record, counts);
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
  if (counts.per_event_known || !counts.counted || record.events < 2) return counts.carried / record.events;
  const double first = counts.first ? *counts.first : first_share(record, counts.carried);
  return event == 0 ? first : (counts.carried - first) / (record.events - 1);
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
    add_totals(out);
  } else if (record.first_token_us && record.events > 0) {
    add_ends_only(record, counts, out.front());
  }
  std::erase_if(out, [](const ChoiceStream& stream) { return stream.arrivals_us.empty(); });
}

void RequestView::look_at(const RequestRecord& record) {
  record_ = &record;
  counted_ = split_ = doubted_ = false;
}

void RequestView::look_at(const RequestRecord& record, SpeedDoubt doubt) {
  look_at(record);
  doubt_ = doubt;
  doubted_ = true;
}

const TokenCounts& RequestView::counts() {
  if (!counted_) counts_ = count_tokens(*record_);
  counted_ = true;
  return counts_;
}

SpeedDoubt RequestView::doubt() {
  if (!doubted_) doubt_ = doubt_of_speed(*record_, counts());
  doubted_ = true;
  return doubt_;
}

std::span<const ChoiceStream> RequestView::streams() {
  if (!split_) split_choices(*record_, counts(), streams_);
  split_ = true;
  return streams_;
}

}  // namespace infermeter
