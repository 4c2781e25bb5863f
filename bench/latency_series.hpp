// Latencies of made-up servers, in order of intended start: samples that depend on their neighbours as those
// of real servers do. Virtual time, a fixed seed. Milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace infermeter::bench {

struct Series {
  std::vector<double> values;
  double in_flight = 16;
};

/// One run of n requests.
using DrawSeries = std::function<Series(std::uint64_t seed, std::size_t n)>;

struct Workload {
  std::string name;
  DrawSeries draw;
};

/// Those whose intervals are promised to hold.
std::vector<Workload> promised_workloads();
/// Those whose memory is longer than a few rounds of the run.
std::vector<Workload> long_memories();

}  // namespace infermeter::bench
