// The per-request data that another tool saved beside its own figures: enough for their intervals. Plain
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

/// A gap between two events of a stream, and when it ended, in seconds on the point's timeline.
struct BenchGap {
  double at_s = 0, gap_ms = 0;
};

struct BenchSamples {
  std::uint32_t point = 0;
  std::vector<BenchSeries> series;
  std::vector<BenchGap> gaps;  // in any order
};

/// A file of another tool: its figures as a result of ours, with the samples behind them if they were saved.
struct BenchRun {
  RunResult run;
  std::vector<BenchSamples> samples;
};

}  // namespace infermeter
