// What another tool saved of each request beside its own figures: enough to tell how sure those are. Plain
// values; times in milliseconds. Read by report, made into intervals by analysis.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// One metric of every good answer, in order of intention.
struct BenchSeries {
  std::string metric;
  std::vector<double> values;
};

/// A gap between two events of a stream, and when it ended, in seconds on a timeline of the whole point.
struct BenchGap {
  double at_s = 0, gap_ms = 0;
};

struct BenchSamples {
  std::uint32_t point = 0;
  std::vector<BenchSeries> series;
  std::vector<BenchGap> gaps;  // in any order
};

/// A file of another tool: its figures as a result of ours, and the samples beneath them as far as they were
/// saved.
struct BenchRun {
  RunResult run;
  std::vector<BenchSamples> samples;
};

}  // namespace infermeter
