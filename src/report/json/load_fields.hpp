// Keys of the requested load of a point (see result_fields.hpp for what an archive offers). Private to
// src/report.
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

}  // namespace infermeter::result_fields
