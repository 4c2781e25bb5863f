// What a server's own metrics page says: one scrape of it, and what the scrapes around a load point add up
// to. Plain values; times in seconds in a scrape, as servers write them, in milliseconds in a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

/// A histogram of times since the server's start.
struct ServerHistogram {
  double sum = 0, count = 0;  // seconds, observations
  std::vector<std::pair<double, double>>
      buckets;  // upper edge in seconds (the last is +Inf), cumulative count
};

/// The quantities of one page that are known, by their names in docs/metrics.md: "running", "queue" …
template <typename T>
using ServerValues = std::vector<std::pair<std::string, T>>;

/// Null: it is absent.
template <typename T>
const T* find_value(const ServerValues<T>& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// One reading of a metrics page: all series of one model on one server, added up.
struct Scrape {
  std::uint32_t target = 0;
  std::string page;        // its address, as shown; a target may have several replicas, each with one
  std::int64_t at_us = 0;  // when it was asked for, from the run's start; negative before it
  std::string problem;     // why nothing was read; empty: it was
  std::string from;        // "vllm", "sglang", …
  std::optional<double> process_start_s;  // Unix time
  ServerValues<double> gauges, counters;
  ServerValues<ServerHistogram> times;
};

/// A quantity that is sampled: over the scrapes of the window.
struct GaugeSummary {
  std::string name;
  double mean = 0, max = 0;
};

/// What the mean time from a request's intended start to its first token consists of, in ms. The parts add
/// up; `rest` is what the server's TTFT has beyond queue and prefill, which may be of other requests than
/// ours.
struct TtftParts {
  std::string tier;  // whose queue and prefill: "server" (of each answer), "prometheus" (of its metrics page)
  double client_queue = 0, connect = 0, network = 0, queue = 0, prefill = 0, rest = 0;
  double total() const { return client_queue + connect + network + queue + prefill + rest; }
};

/// The main levels at one scrape, of all replicas; a level that the server does not tell is absent.
struct ServerLevels {
  double at_s = 0;  // from the run's start
  std::optional<double> running, waiting, kv_cache;
};

}  // namespace infermeter
