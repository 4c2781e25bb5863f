// Records for tests: answers with easily readable times.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter::tests {

/// An ok answer that starts at `start` and ends with its last token; one token an event, counted by usage.
inline RequestRecord answer(std::int64_t start, std::int64_t ttft, std::vector<std::uint32_t> gaps) {
  RequestRecord r;
  r.id = static_cast<std::uint64_t>(start);
  r.intended_us = r.started_us = r.sent_us = start;
  r.first_token_us = r.first_output_us = start + ttft;
  r.last_token_us = r.end_us = std::accumulate(gaps.begin(), gaps.end(), start + ttft);
  r.events = static_cast<std::uint32_t>(gaps.size() + 1);
  r.output_tokens = r.events;
  r.token_source = TokenSource::usage;
  r.finish_reason = "length";
  r.status = 200;
  r.gaps_us = std::move(gaps);
  r.reads = r.events;
  r.lags.add_bucket(20, r.events);  // 2^5 = 32 µs
  return r;
}

/// One that is in flight from `start` to `end` and has no tokens.
inline RequestRecord stay(std::int64_t start, std::int64_t end) {
  auto r = answer(start, 0, {});
  r.first_token_us = r.first_output_us = r.last_token_us = std::nullopt;
  r.output_tokens = std::nullopt;
  r.events = 0;
  r.end_us = end;
  return r;
}

inline RequestRecord failed(std::int64_t start, Outcome outcome, int status = 0) {
  auto r = stay(start, start + 1000);
  r.outcome = outcome;
  r.status = status;
  r.error = "it said no";
  return r;
}

inline RequestRecord warmup(RequestRecord r) {
  r.phase = Phase::warmup;
  return r;
}

/// `slots` closed-loop slots, `rounds` answers each, with slightly different times; the first round is
/// warm-up.
inline std::vector<RequestRecord> closed_loop(int slots, int rounds) {
  std::vector<RequestRecord> out;
  for (int slot = 0; slot < slots; ++slot) {
    std::int64_t at = slot;
    for (int round = 0; round < rounds; ++round) {
      const auto spread = static_cast<std::uint32_t>((slot * 7 + round * 13) % 10);
      auto r = answer(at, 50'000 + 100 * spread, std::vector<std::uint32_t>(29, 10'000 + 10 * spread));
      r.id = out.size();
      if (round == 0) r.phase = Phase::warmup;
      at = *r.end_us + 20;
      out.push_back(std::move(r));
    }
  }
  return out;
}

inline Records pointers(const std::vector<RequestRecord>& records) {
  Records out;
  for (const auto& record : records) out.push_back(&record);
  return out;
}

inline LoadPoint closed(std::uint32_t concurrency) {
  LoadPoint load;
  load.concurrency = concurrency;
  return load;
}

inline LoadPoint open(double rate) {
  LoadPoint load;
  load.open_loop = true;
  load.rate = rate;
  return load;
}

}  // namespace infermeter::tests
