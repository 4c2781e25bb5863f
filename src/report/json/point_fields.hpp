// Keys of the requested load of a point, and of what was measured there (see result_fields.hpp for what an
// archive offers). Private to src/report.
#pragma once

#include <concepts>
#include <type_traits>

#include "infermeter/model/result.hpp"

namespace infermeter::result_fields {

/// `T` or `const T`: one walk serves the writer (const) and the reader.
template <typename Given, typename T>
concept Either = std::same_as<std::remove_const_t<Given>, T>;

template <typename Archive, Either<Threshold> T>
void walk(Archive& a, T& t) {
  a("text", t.text);
  a("metric", t.metric);
  a("statistic", t.statistic);
  a("comparison", t.comparison);
  a("limit", t.limit);
}

template <typename Archive, Either<TimeSpan> S>
void walk(Archive& a, S& s) {
  a("from_us", s.from_us);
  a("to_us", s.to_us);
}

template <typename Archive, Either<ClassLoad> C>
void walk(Archive& a, C& c) {
  a("name", c.name);
  a("probe", c.probe);
  a("own_loop", c.own_loop);
  a("exact_output", c.exact_output);
  a("cold", c.cold);
  a("fresh", c.fresh);
  a("primed", c.primed);
  a("slos", c.slos);
}

template <typename Archive, Either<Shard> S>
void walk(Archive& a, S& s) {
  a("rank", s.rank);
  a("of", s.of);
}

/// Keys that only the other kind of loop has are left out, instead of a made-up value.
template <typename Archive, Either<LoadPoint> L>
void walk(Archive& a, L& l) {
  a("open_loop", l.open_loop);
  a("arrival", l.arrival);
  if (l.open_loop) {
    a("rate", l.rate);
    a("cv", l.cv);
    a.unless_zero("max_in_flight", l.max_in_flight);
    a("scheduled_requests", l.scheduled_requests);
    a("schedule_hash", l.schedule_hash);
    a.unless_zero("shard_scheduled", l.shard_scheduled);
    a("replay", l.replay);
  } else {
    a("concurrency", l.concurrency);
  }
  a("shard", l.shard);
  a("seed", l.seed);
  a("workers", l.workers);
  a("requests", l.requests);
  a("conversations", l.conversations);
  a("in_turns", l.in_blocks);
  if (l.in_blocks) a("turns", l.blocks);
  a("duration_s", l.duration_s);
  a("warmup_requests", l.warmup_requests);
  a("warmup_s", l.warmup_s);
  a("stages", l.stages);
  a("shape", l.shape);
  a.unless_zero("input_tokens", l.input_tokens);
  a.unless_zero("output_tokens", l.output_tokens);
  a("exact_output", l.exact_output);
  a("stream", l.stream);
  a("comfort_ms", l.comfort_ms);
  a("nonce", l.nonce);
  a("max_retries", l.max_retries);
  a("run", l.run);
  a("classes", l.classes);
}

template <typename Archive, Either<OutcomeCount> O>
void walk(Archive& a, O& o) {
  a("class", o.outcome);
  a.unless_zero("status", o.status);
  a("count", o.count);
  a("example", o.example);
}

template <typename Archive, Either<ErrorBounds> E>
void walk(Archive& a, E& e) {
  a("n_eff", e.n_eff);
  a("low", e.low);
  a("high", e.high);
}

template <typename Archive, Either<Rates> R>
void walk(Archive& a, R& r) {
  a("window_s", r.window_s);
  a("request_throughput", r.request);
  a("input_throughput", r.input);
  a("output_throughput", r.output);
  a("output_half_width", r.output_half_width);
  a("total_throughput", r.total);
  a("concurrency", r.concurrency);
  a("request_half_width", r.request_half_width);
  a("input_half_width", r.input_half_width);
  a("total_half_width", r.total_half_width);
}

template <typename Archive, Either<Percentile> P>
void walk(Archive& a, P& p) {
  a("value", p.value);
  a("low", p.low);
  a("high", p.high);
}

template <typename Archive, Either<Metric> M>
void walk(Archive& a, M& m) {
  a("unit", m.unit);
  a("count", m.count);
  a.unless_zero("n_eff", m.n_eff);
  a("mean", m.mean);
  a("mean_low", m.mean_low);
  a("mean_high", m.mean_high);
  a("stddev", m.stddev);
  a("min", m.min);
  a("max", m.max);
  a("low_tail", m.low_tail);
  a("percentiles", m.percentiles);
}

template <typename Archive, Either<Check> C>
void walk(Archive& a, C& c) {
  a("name", c.kind);
  a("state", c.state);
  a("evidence", c.evidence);
  a("advice", c.advice);
}

template <typename Archive, Either<Validity> V>
void walk(Archive& a, V& v) {
  a("trustworthy", v.trustworthy);
  a("partial", v.partial);
  a("checks", v.checks);
}

template <typename Archive, Either<SloResult> S>
void walk(Archive& a, S& s) {
  a("slos", s.slos);
  a("requests", s.requests);
  a("met", s.met);
  a("attainment", s.attainment);
  a("low", s.low);
  a("high", s.high);
  a("goodput", s.goodput);
  a("goodput_half_width", s.goodput_half_width);
  a("each", s.each);
  a("without", s.without);
  a("unjudged", s.unjudged);
}

template <typename Archive, Either<Slice> S>
void walk(Archive& a, S& s) {
  a("by", s.by);
  a("name", s.name);
  a("requests", s.requests);
  a("ok", s.ok);
  a("outcomes", s.outcomes);
  a("metrics", s.metrics);
  a("request_throughput", s.request_throughput);
  a("output_throughput", s.output_throughput);
  a("prompt_tokens", s.prompt_tokens);
  a("cached_tokens", s.cached_tokens);
  a("output_tokens", s.output_tokens);
  a("slo", s.slo);
}

template <typename Archive, Either<Cost> C>
void walk(Archive& a, C& c) {
  a("total", c.total);
  a("per_1k", c.per_1k);
  a("source", c.source);
}

template <typename Archive, Either<CacheFacts> C>
void walk(Archive& a, C& c) {
  a("requests", c.requests);
  a("hit_share", c.hit_share);
  a("mean_cached", c.mean_cached);
}

template <typename Archive, Either<RateLimitFacts> R>
void walk(Archive& a, R& r) {
  a("limited", r.limited);
  a("retry_after_s", r.retry_after_s);
  a("waited_s", r.waited_s);
  a("headers", r.headers);
  a("used_up", r.used_up);
}

template <typename Archive, Either<PointResult> P>
void walk_rates(Archive& a, P& p) {
  a("steady", p.steady);
  if (p.steady) {
    a("steady_from_s", p.steady_from_s);
    a("steady_to_s", p.steady_to_s);
  }
  a("whole", p.whole);
  a("offered", p.offered);
  a("served", p.served);
  a("item_throughput", p.item_throughput);
  a("output_per_gpu", p.output_per_gpu);
}

template <typename Archive, Either<PointResult> P>
void walk_tokens(Archive& a, P& p) {
  a("source", p.token_source);
  a.unless_zero("per_event", p.tokens_per_event);
  a("prompt", p.prompt_tokens);
  a("output", p.output_tokens);
  a("reasoning", p.reasoning_tokens);
  a("cached", p.cached_tokens);
  a("cache_write", p.cache_write_tokens);
  a("events", p.generated_events);
  a("reasoning_kind", p.reasoning);
  a("only_reasoning_answers", p.only_reasoning);
}

template <typename Archive, Either<PossibleError> E>
void walk(Archive& a, E& e) {
  a("metric", e.metric);
  a("statistic", e.statistic);
  a("less", e.less);
  a("more", e.more);
}

template <typename Archive, Either<PointResult> P>
void walk_client(Archive& a, P& p) {
  a("late_share", p.late_share);
  a("packed_share", p.packed_share);
  a("unstamped_share", p.unstamped_share);
  a("client_lag_p99_ms", p.client_lag_p99_ms);
  a("client_lag_max_ms", p.client_lag_max_ms);
  a("possible_errors", p.possible_errors);
  a("cpu_share", p.client_cpu_share);
  a("achieved_ratio", p.achieved_ratio);
}

template <typename Archive, Either<GaugeSummary> G>
void walk(Archive& a, G& g) {
  a("name", g.name);
  a("mean", g.mean);
  a("max", g.max);
}

template <typename Archive, Either<ServerLevels> L>
void walk(Archive& a, L& l) {
  a("at_s", l.at_s);
  a("running", l.running);
  a("waiting", l.waiting);
  a("kv_cache", l.kv_cache);
}

template <typename Archive, Either<ServerWindow> S>
void walk(Archive& a, S& s) {
  a("from", s.from);
  a("from_s", s.from_s);
  a("to_s", s.to_s);
  a("scrapes", s.scrapes);
  a("failed", s.failed);
  a("problem", s.problem);
  a("times", s.times);
  a("gauges", s.gauges);
  a("counts", s.counts);
  a("course", s.course);
  a("own_requests", s.own_requests);
  a("missing", s.missing);
}

template <typename Archive, Either<TtftParts> T>
void walk(Archive& a, T& t) {
  a("tier", t.tier);
  a("client_queue", t.client_queue);
  a("connect", t.connect);
  a("network", t.network);
  a("queue", t.queue);
  a("prefill", t.prefill);
  a("rest", t.rest);
}

/// The server's own times, where it reported them, and its metrics page.
template <typename Archive, Either<PointResult> P>
void walk_server(Archive& a, P& p) {
  a("times_from", p.server_times_from);
  a("metrics", p.server_metrics);
  a("scraped", p.scraped);
  a("ttft_parts", p.ttft_parts);
}

/// What was measured at a point; absent from the file that is written before the first request.
template <typename Archive, Either<PointResult> P>
void walk_measured(Archive& a, P& p) {
  a("requests", p.requests);
  a("warmup_requests", p.warmup_requests);
  a("ramp_requests", p.ramp_requests);
  a("conversations", p.conversations);
  a("retries", p.retries);
  a("retried_requests", p.retried_requests);
  a("ok", p.ok);
  a("outcomes", p.outcomes);
  a("errors", p.errors);
  a("finish_reasons", p.finish_reasons);
  a("flags", p.flags);
  a("metrics", p.metrics);
  a.group("throughput", [&](Archive& g) { walk_rates(g, p); });
  a.group("tokens", [&](Archive& g) { walk_tokens(g, p); });
  a("comfort", p.comfort);
  a("slo", p.slo);
  a("cost", p.cost);
  a("cache", p.cache);
  a("rate_limits", p.rate_limits);
  a.group("server", [&](Archive& g) { walk_server(g, p); });
  a("slices", p.slices);
  a.group("client", [&](Archive& g) { walk_client(g, p); });
  a("validity", p.validity);
}

}  // namespace infermeter::result_fields
