#include "analysis/figures/server_facts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/figures/counts.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/in_flight.hpp"
#include "model/rate_limits.hpp"

namespace infermeter {

namespace {

std::optional<CacheFacts> cache_facts(const Records& ok) {
  CacheFacts facts;
  double cached = 0, prompt = 0;
  for (const auto* record : ok) {
    if (!record->cached_tokens) continue;
    ++facts.requests;
    cached += static_cast<double>(std::max<std::int64_t>(0, *record->cached_tokens));
    prompt += static_cast<double>(std::max<std::int64_t>(0, record->prompt_tokens.value_or(0)));
  }
  if (facts.requests == 0) return std::nullopt;
  facts.hit_share = prompt > 0 ? cached / prompt : 0;
  facts.mean_cached = cached / static_cast<double>(facts.requests);
  return facts;
}

/// Of its tries.
std::uint64_t count_limited(const RequestRecord& record) {
  return record.limited_tries + (is_rate_limit(record.status) ? 1U : 0U);
}

bool has_limits(const RequestRecord& record) { return !record.rate_limits->empty(); }
bool has_used_up(const RequestRecord& record) { return !used_up_limits(*record.rate_limits).empty(); }

/// The newest record of its kind.
const RequestRecord* last_with(const Records& records, bool (*belongs)(const RequestRecord&)) {
  const RequestRecord* last = nullptr;
  for (const auto* record : records) {
    if (!belongs(*record)) continue;
    if (!last || record->end_us >= last->end_us) last = record;
  }
  return last;
}

std::optional<RateLimitFacts> rate_limit_facts(const RunRecords& run, double waited_s) {
  RateLimitFacts facts;
  facts.waited_s = waited_s;
  for (const auto* record : run.measured) {
    const auto limited = count_limited(*record);
    if (limited == 0) continue;
    facts.limited += limited;
    for (const auto& asked_ms : {record->retry_after_ms, record->longest_retry_after_ms}) {
      if (asked_ms)
        facts.retry_after_s = std::max(facts.retry_after_s.value_or(0), static_cast<double>(*asked_ms) / 1e3);
    }
  }
  if (const auto* last = last_with(run.all, has_limits)) facts.headers = *last->rate_limits;
  if (const auto* last = last_with(run.all, has_used_up)) {
    for (const auto& [remaining, reset] : used_up_limits(*last->rate_limits))
      facts.used_up.emplace_back(remaining, reset);
  }
  if (facts.limited == 0 && waited_s <= 0 && facts.headers.empty()) return std::nullopt;
  return facts;
}

void count_retries(const Records& measured, PointResult& point) {
  for (const auto* record : measured) {
    if (record->tries <= 1) continue;
    ++point.retried_requests;
    point.retries += record->tries - 1;
  }
}

std::uint64_t count_conversations(const Records& measured) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (const auto* record : measured) {
    if (record->conversation) seen.emplace(record->traffic_class, *record->conversation);
  }
  return seen.size();
}

}  // namespace

void add_server_facts(const RunRecords& run, const RunState& state, PointResult& point) {
  point.cost = cost_of(run, {.prices = state.prices,
                             .seconds = point.whole.window_s,
                             .tokens_per_event = std::max(1.0, point.tokens_per_event)});
  point.cache = cache_facts(run.ok);
  point.rate_limits = rate_limit_facts(run, state.waited_s);
  point.conversations = count_conversations(run.measured);
  count_retries(run.measured, point);
  point.server_metrics = make_server_metrics(
      run.ok, sample_rules(point.load, point.token_source, mean_in_flight_of(point.load, run.measured)));
  for (const auto* record : run.ok) {
    const std::string& from = record->server_times->from;
    std::string& all = point.server_times_from;
    if (!from.empty() && all != from) all = all.empty() ? from : "mixed";
  }
}

}  // namespace infermeter
