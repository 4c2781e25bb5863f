#include "analysis/figures/counts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "model/request_view.hpp"

namespace infermeter {

namespace {

using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

NamedCounts by_count(const std::map<std::string, std::uint64_t>& counts) {
  NamedCounts out(counts.begin(), counts.end());
  std::ranges::stable_sort(out, std::greater{}, &NamedCounts::value_type::second);
  return out;
}

bool status_tells(Outcome outcome) {
  return outcome == Outcome::http_error || outcome == Outcome::param_rejected;
}

void count_tokens_of(const Records& ok, PointResult& point) {
  double carried = 0, events = 0;
  std::optional<Reasoning> reasoning;
  const auto sum = [](std::uint64_t& total, const std::optional<std::int64_t>& tokens) {
    total += static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokens.value_or(0)));
  };
  for (const auto* record : ok) {
    sum(point.prompt_tokens, record->prompt_tokens);
    sum(point.reasoning_tokens, record->reasoning_tokens);
    sum(point.cached_tokens, record->cached_tokens);
    sum(point.cache_write_tokens, record->cache_write_tokens);
    point.generated_events += record->events;
    const auto counts = count_tokens(*record);
    join(reasoning, std::optional(record->reasoning));
    if (!counts.counted) continue;
    point.output_tokens += static_cast<std::uint64_t>(std::max(0.0, counts.generated));
    if (record->events == 0 || !point.load.stream) continue;
    carried += counts.carried;
    events += record->events;
  }
  point.token_source = token_source_of(ok);
  point.reasoning = reasoning;
  point.tokens_per_event = events > 0 ? carried / events : 0;
}

/// Answers of items (vectors, documents) have only prompt tokens to count.
TokenSource source_of(const RequestRecord& record) {
  if (record.items && record.prompt_tokens) return TokenSource::usage;
  return count_tokens(record).counted ? record.token_source : TokenSource::events;
}

Records cancelled(const Records& measured) {
  Records out;
  std::ranges::copy_if(measured, std::back_inserter(out),
                       [](const auto* record) { return record->outcome == Outcome::cancelled; });
  return out;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<OutcomeCount> count_outcomes(const Records& measured) {
  std::map<std::pair<Outcome, int>, OutcomeCount> counts;
  for (const auto* record : measured) {
    const int status = status_tells(record->outcome) ? record->status : 0;
    auto& entry = counts[{record->outcome, status}];
    entry.outcome = record->outcome;
    entry.status = status;
    ++entry.count;
    if (entry.example.empty()) entry.example = record->error;
  }
  std::vector<OutcomeCount> out;
  for (auto& [key, entry] : counts) out.push_back(std::move(entry));
  std::ranges::stable_sort(out, {}, [](const OutcomeCount& entry) {
    return std::tuple(entry.outcome != Outcome::ok, ~entry.count);
  });
  return out;
}

std::optional<TokenSource> token_source_of(const Records& answers) {
  std::optional<TokenSource> source;
  for (const auto* record : answers) join(source, std::optional(source_of(*record)));
  return source;
}

void count_records(const RunRecords& run, PointResult& point) {
  point.requests = run.measured.size();
  point.ramp_requests = run.ramp;
  point.warmup_requests = run.all.size() - run.measured.size() - run.ramp;
  point.ok = run.ok.size();
  point.outcomes = count_outcomes(run.measured);
  std::map<std::string, std::uint64_t> finish, flags;
  for (const auto* record : run.ok) {
    // Items have no finish reason, so its absence means nothing.
    if (!record->items) ++finish[record->finish_reason.empty() ? "none" : record->finish_reason];
    for (const auto flag : record->flags.names()) ++flags[std::string(flag)];
    if (record->flags.has(Flag::only_reasoning)) ++point.only_reasoning;
  }
  point.finish_reasons = by_count(finish);
  point.flags = by_count(flags);
  count_tokens_of(run.ok, point);
  if (run.ok.empty()) point.token_source = token_source_of(cancelled(run.measured));
}

void count_stamps(const Records& measured, PointResult& point) {
  std::uint64_t events = 0, late = 0, packed = 0, reads = 0, unstamped = 0;
  LagHistogram lags;
  std::int64_t longest_us = 0;
  for (const auto* record : measured) {
    longest_us = std::max({longest_us, record->loop_delay_max_us, record->lag_max_us});
    events += record->events;
    late += record->late;
    packed += record->packed;
    reads += record->reads;
    unstamped += record->unstamped_reads;
    lags.merge(record->lags);
  }
  point.late_share = share(late, events);
  point.packed_share = share(packed, events);
  point.unstamped_share = share(unstamped, reads);
  point.client_lag_p99_ms = lags.quantile_us(0.99) / 1e3;
  point.client_lag_max_ms = static_cast<double>(longest_us) / 1e3;
}

}  // namespace infermeter
