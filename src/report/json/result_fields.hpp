// Which key of result.json and verdict.json holds which member: listed once, walked by the writer and by the
// reader, so that the two cannot differ. Private to src/report.
//
// An archive offers: a(key, member) for text, numbers, flags, optionals, lists and nested values;
// a.unless_zero(key, member) where 0 means absent; a.group(key, walk) for a nested object.
#pragma once

#include "infermeter/model/result.hpp"
#include "infermeter/model/verdict.hpp"
#include "report/json/point_fields.hpp"

namespace infermeter::result_fields {

template <typename Archive, Either<Judgement> J>
void walk(Archive& a, J& j) {
  a("kind", j.kind);
  a("decision", j.decision);
  a("text", j.text);
  a("where", j.where);
  a("point", j.point);
  a("target", j.target);
  a("unit", j.unit);
  a("relative", j.relative);
  a("value", j.value);
  a("low", j.low);
  a("high", j.high);
  a("limit", j.limit);
  a("limit_follows", j.limit_follows);
  a("baseline", j.baseline);
  a("candidate", j.candidate);
  a("by_interval", j.by_interval);
  a("reason", j.reason);
  a("needed", j.needed);
}

template <typename Archive, Either<GateUnit> U>
void walk(Archive& a, U& u) {
  a("number", u.number);
  a("set_aside", u.set_aside);
  a("changes", u.changes);
}

template <typename Archive, Either<Verdict> V>
void walk(Archive& a, V& v) {
  a("decision", v.decision);
  a("trustworthy", v.trustworthy);
  a("exit_code", v.exit_code);
  a("basis", v.basis);
  a("ended", v.ended);
  a("judgements", v.judgements);
  a("units", v.units);
  a("notes", v.notes);
}

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

template <typename Archive, Either<Prices> P>
void walk(Archive& a, P& p) {
  a("input_per_million", p.input_per_million);
  a("cached_per_million", p.cached_per_million);
  a("cache_write_per_million", p.cache_write_per_million);
  a("output_per_million", p.output_per_million);
  a("per_hour", p.per_hour);
}

template <typename Archive, Either<TargetFacts> T>
void walk(Archive& a, T& t) {
  a("name", t.name);
  a("label", t.label);
  a("region", t.region);
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
  a("simulated", t.simulated);
  a("system_fingerprints", t.system_fingerprints);
  a("rtt_ms", t.rtt_ms);
  a("tls_ms", t.tls_ms);
  a("replicas", t.replicas);
  a("prices", t.prices);
  a.unless_zero("gpus", t.gpus);
  a("ended_early", t.ended_early);
  a("notes", t.notes);
}

template <typename Archive, Either<Workload> W>
void walk(Archive& a, W& w) {
  a("name", w.name);
  a("share", w.share);
  a("source", w.source);
  a.unless_zero("items", w.items);
  a("bad_lines", w.bad_lines);
  a("input_tokens", w.input_tokens);
  a("output_tokens", w.output_tokens);
  a("calibration", w.calibration);
  a("nonce", w.nonce);
  a("exact_output", w.exact_output);
  a("max_tokens_field", w.max_tokens_field);
  a("extra_body", w.extra_body);
  a("options", w.options);
}

template <typename Archive, Either<Health> H>
void walk(Archive& a, H& h) {
  a("point", h.point);
  a("target", h.target);
  a("requests", h.requests);
  a("failed", h.failed);
  a("state", h.state);
  a("lowest_load", h.lowest_load);
  a("failures", h.failures);
}

template <typename Archive, Either<Difference> D>
void walk(Archive& a, D& d) {
  a("point", d.point);
  a("target", d.target);
  a("metric", d.metric);
  a("statistic", d.statistic);
  a("blocks", d.blocks);
  a("change", d.change);
  a("low", d.low);
  a("high", d.high);
  a("within_noise", d.within_noise);
  a("absolute", d.absolute);
}

template <typename Archive, Either<RankedTarget> R>
void walk(Archive& a, R& r) {
  a("point", r.point);
  a("target", r.target);
  a("tied", r.tied);
}

template <typename Archive, Either<Knee> K>
void walk(Archive& a, K& k) {
  a("point", k.point);
  a("target", k.target);
  a("text", k.text);
  a("found", k.found);
}

template <typename Archive, Either<ContextFit> F>
void walk(Archive& a, F& f) {
  a("target", f.target);
  a("a", f.a);
  a("b", f.b);
  a("c", f.c);
  a("max_error", f.max_error);
  a("superlinear", f.superlinear);
  a("text", f.text);
}

/// Results over several points; `differences`, `ranking`, `knees` and `context_fits` are empty for a single
/// point.
template <typename Archive, Either<RunResult> R>
void walk_conclusions(Archive& a, R& r) {
  a("health", r.health);
  a("differences", r.differences);
  a("ranking", r.ranking);
  a("knees", r.knees);
  a("context_fits", r.context_fits);
  a("verdict", r.verdict);
}

template <typename Archive, Either<RunResult> R>
void walk_run(Archive& a, R& r) {
  a("id", r.run_id);
  a("start_utc", r.start_utc);
  a("start_monotonic_ns", r.start_monotonic_ns);
  a.unless_zero("start_unix_ns", r.start_unix_ns);
  a("command_line", r.command_line);
  a("plan_hash", r.plan_hash);
  a("workload_hash", r.workload_hash);
  a("complete", r.complete);
  a("interrupted", r.interrupted);
  a("ended_early", r.ended_early);
  a("connect_backoffs", r.connect_backoffs);
  a("lost_records", r.lost_records);
  a("scenario", r.scenario);
  a("target_order", r.target_order);
  a("against", r.against);
  a("sort", r.sort);
  a("runs", r.runs);
  a("shard", r.shard);
  a("sweep_ended", r.sweep_ended);
  a("labels", r.labels);
  a("asserts", r.asserts);
  a("assert_point", r.assert_point);
}

}  // namespace infermeter::result_fields
