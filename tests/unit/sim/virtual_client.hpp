// Drives an engine in virtual time as a client would: open loop at given arrivals, or closed loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter::sim::test {

/// The lengths of one request, which are exact.
struct Ask {
  std::uint32_t prompt = 0, output = 0;
};

struct Outcome {
  RequestTruth truth;
  std::uint32_t tokens = 0;
  nanoseconds max_gap{};
  nanoseconds last{};
  double ttft_ms() const { return static_cast<double>((truth.first_token - truth.arrived).count()) / 1e6; }
  double max_gap_ms() const { return static_cast<double>(max_gap.count()) / 1e6; }
  double queue_ms() const { return static_cast<double>((truth.scheduled - truth.arrived).count()) / 1e6; }
  double tpot_ms() const {
    if (tokens < 2) return 0;
    return static_cast<double>((truth.finished - truth.first_token).count()) / 1e6 / (tokens - 1);
  }
};

struct Run {
  std::vector<Outcome> requests;
  std::vector<Emission> emissions;
  EngineCounters counters;  // after the last one
  /// Requests per second while a closed loop is full: only those that ended before the last one started.
  double steady_rate() const {
    const nanoseconds end = requests.back().truth.arrived;
    const auto ended =
        std::ranges::count_if(requests, [&](const Outcome& o) { return o.truth.finished < end; });
    return static_cast<double>(ended) * 1e9 / static_cast<double>(end.count());
  }
};

/// All prompts differ: each has block hashes that no other request has.
inline SimRequest request_of(std::uint64_t id, Ask ask) {
  SimRequest request{id, {}, ask.prompt, ask.output};
  for (std::uint64_t block = 0; block < ask.prompt / 16; ++block)
    request.blocks.push_back(mix64(id * 1'000'003 + block));
  return request;
}

inline void note(Run& run, const std::vector<Emission>& emissions) {
  for (const Emission& e : emissions) {
    Outcome& outcome = run.requests[e.id];
    if (outcome.tokens > 0) outcome.max_gap = std::max(outcome.max_gap, e.at - outcome.last);
    outcome.last = e.at;
    outcome.tokens += e.tokens;
  }
  run.emissions.insert(run.emissions.end(), emissions.begin(), emissions.end());
}

inline void close(Run& run, const EngineModel& engine) {
  for (std::uint64_t id = 0; id < run.requests.size(); ++id) run.requests[id].truth = *engine.truth(id);
  run.counters = engine.counters();
}

inline Run open_loop(EngineModel& engine, const std::vector<nanoseconds>& arrivals,
                     const std::vector<Ask>& asks) {
  Run run;
  run.requests.resize(asks.size());
  std::vector<Emission> out;
  for (std::uint64_t id = 0; id < asks.size(); ++id) {
    engine.advance(arrivals[id], out);
    engine.submit(request_of(id, asks[id]), arrivals[id]);
  }
  while (const auto next = engine.next_event()) engine.advance(*next, out);
  note(run, out);
  close(run, engine);
  return run;
}

inline Run closed_loop(EngineModel& engine, std::uint32_t concurrency, const std::vector<Ask>& asks) {
  Run run;
  run.requests.resize(asks.size());
  std::uint64_t id = 0;
  const auto submit = [&](nanoseconds at) {
    if (id < asks.size()) engine.submit(request_of(id, asks[id]), at), ++id;
  };
  for (std::uint32_t slot = 0; slot < concurrency; ++slot) submit(nanoseconds(0));
  std::vector<Emission> out;
  while (const auto next = engine.next_event()) {
    out.clear();
    engine.advance(*next, out);
    note(run, out);
    for (const Emission& e : out)
      if (e.finished) submit(e.at);
  }
  close(run, engine);
  return run;
}

/// Gamma gaps of the given shape (1: Poisson; below 1: bursts).
inline std::vector<nanoseconds> gamma_arrivals(std::size_t n, double rate, double shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<nanoseconds> at;
  double t = 0;
  for (std::size_t i = 0; i < n; ++i) {
    t += random.gamma_mean_one(shape) / rate;
    at.push_back(nanoseconds(std::llround(t * 1e9)));
  }
  return at;
}

/// Prompts and answers of lognormal lengths (σ = 1) around 800 and 256 tokens: a mixed load whose tail
/// matters.
inline std::vector<Ask> mixed_asks(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  const auto length = [&](double mean) {
    return static_cast<std::uint32_t>(std::clamp(mean * std::exp(random.normal() - 0.5), 2.0, 20 * mean));
  };
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t prompt = length(800);
    asks.push_back({prompt, length(256)});
  }
  return asks;
}

/// For the requests from `skip` on: the first requests of a closed loop's slots all start at once.
template <typename Figure>
double percentile(const Run& run, double share, Figure figure, std::size_t skip = 0) {
  std::vector<double> values;
  for (std::size_t i = skip; i < run.requests.size(); ++i) values.push_back((run.requests[i].*figure)());
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

template <typename Figure>
double mean(const Run& run, Figure figure) {
  double sum = 0;
  for (const Outcome& outcome : run.requests) sum += (outcome.*figure)();
  return sum / static_cast<double>(run.requests.size());
}

}  // namespace infermeter::sim::test
