// Which key of result.json holds which member of RunResult: said once, walked by the writer and by the
// reader, so that the two cannot differ. Private to src/report.
//
// An archive offers: a(key, member) for text, numbers, flags, optionals, lists and nested values;
// a.unless_zero(key, member) where 0 means absent; a.group(key, walk) for an object of its own.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "infermeter/model/result.hpp"

namespace infermeter::result_fields {

/// `T` or `const T`: one walk serves the writer (const) and the reader.
template <typename Given, typename T>
concept Either = std::same_as<std::remove_const_t<Given>, T>;

constexpr std::array<std::string_view, 4> kCheckStates{"passed", "warning", "failed", "not_applicable"};

template <typename Archive, Either<Environment> E>
void walk(Archive& a, E& e) {
  a("cpu", e.cpu);
  a("cores", e.cores);
  a("kernel", e.kernel);
  a("os", e.os);
  a("governor", e.governor);
  a("load_1min", e.load_1min);
  a("open_files_limit", e.open_files_limit);
  a("build_type", e.build_type);
  a("compiler", e.compiler);
  a("hostname_hash", e.hostname_hash);
  a("client_cpu_share", e.client_cpu_share);
  a("timestamp_source", e.timestamp_source);
}

template <typename Archive, Either<TargetFacts> T>
void walk(Archive& a, T& t) {
  a("name", t.name);
  a("url", t.url);
  a("endpoint", t.endpoint);
  a("model", t.model);
  a("model_source", t.model_source);
  a("timestamp_source", t.timestamp_source);
  a("http_version", t.http_version);
  a("proxy", t.proxy);
  a("server_header", t.server_header);
  a("version", t.version);
  a("model_entry", t.model_entry);
  a("engine", t.engine);
  a("system_fingerprints", t.system_fingerprints);
  a("rtt_ms", t.rtt_ms);
  a("tls_ms", t.tls_ms);
  a("notes", t.notes);
}

template <typename Archive, Either<Workload> W>
void walk(Archive& a, W& w) {
  a("source", w.source);
  a("input_tokens", w.input_tokens);
  a("output_tokens", w.output_tokens);
  a("nonce", w.nonce);
  a("exact_output", w.exact_output);
  a("max_tokens_field", w.max_tokens_field);
  a("extra_body", w.extra_body);
}

/// What one loop has and the other has not is left out there, rather than given a made-up value.
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
  } else {
    a("concurrency", l.concurrency);
  }
  a("seed", l.seed);
  a("workers", l.workers);
  a("requests", l.requests);
  a("duration_s", l.duration_s);
  a("warmup_requests", l.warmup_requests);
  a("warmup_s", l.warmup_s);
  a("output_tokens", l.output_tokens);
  a("exact_output", l.exact_output);
  a("stream", l.stream);
  a("comfort_ms", l.comfort_ms);
}

template <typename Archive, Either<OutcomeCount> O>
void walk(Archive& a, O& o) {
  a("class", o.outcome);
  a.unless_zero("status", o.status);
  a("count", o.count);
  a("example", o.example);
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
  a("stddev", m.stddev);
  a("min", m.min);
  a("max", m.max);
  a("low_tail", m.low_tail);
  a("percentiles", m.percentiles);
}

template <typename Archive, Either<Check> C>
void walk(Archive& a, C& c) {
  a("name", c.name);
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

template <typename Archive, Either<PointResult> P>
void walk_rates(Archive& a, P& p) {
  a("steady", p.steady);
  if (p.steady) {
    a("steady_from_s", p.steady_from_s);
    a("steady_to_s", p.steady_to_s);
  }
  a("whole", p.whole);
}

template <typename Archive, Either<PointResult> P>
void walk_tokens(Archive& a, P& p) {
  a("source", p.token_source);
  a.unless_zero("per_event", p.tokens_per_event);
  a("prompt", p.prompt_tokens);
  a("output", p.output_tokens);
  a("reasoning", p.reasoning_tokens);
  a("cached", p.cached_tokens);
  a("events", p.generated_events);
  a("reasoning_kind", p.reasoning);
  a("only_reasoning_answers", p.only_reasoning);
}

template <typename Archive, Either<PointResult> P>
void walk_client(Archive& a, P& p) {
  a("late_share", p.late_share);
  a("packed_share", p.packed_share);
  a("unstamped_share", p.unstamped_share);
  a("client_lag_p99_ms", p.client_lag_p99_ms);
  a("achieved_ratio", p.achieved_ratio);
}

/// What was measured at a point; absent from the file that is written before the first request.
template <typename Archive, Either<PointResult> P>
void walk_measured(Archive& a, P& p) {
  a("requests", p.requests);
  a("warmup_requests", p.warmup_requests);
  a("ok", p.ok);
  a("outcomes", p.outcomes);
  a("finish_reasons", p.finish_reasons);
  a("flags", p.flags);
  a("metrics", p.metrics);
  a.group("throughput", [&](Archive& g) { walk_rates(g, p); });
  a.group("tokens", [&](Archive& g) { walk_tokens(g, p); });
  a("comfort", p.comfort);
  a.group("client", [&](Archive& g) { walk_client(g, p); });
  a("validity", p.validity);
}

template <typename Archive, Either<RunResult> R>
void walk_run(Archive& a, R& r) {
  a("id", r.run_id);
  a("start_utc", r.start_utc);
  a("start_monotonic_ns", r.start_monotonic_ns);
  a("command_line", r.command_line);
  a("complete", r.complete);
  a("interrupted", r.interrupted);
  a("ended_early", r.ended_early);
  a("connect_backoffs", r.connect_backoffs);
  a("lost_records", r.lost_records);
  a("labels", r.labels);
}

}  // namespace infermeter::result_fields
