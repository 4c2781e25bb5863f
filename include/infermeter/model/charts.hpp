// What pictures are drawn of: aggregates of a run's records, small whatever the run's size. Made by
// analysis/charts, drawn by report (page, terminal). Plain values; times in milliseconds, offsets in seconds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// A distribution over a logarithmic axis.
struct Distribution {
  std::string metric, unit;
  std::vector<double> edges;                   // ascending, of equal ratio; one more than counts
  std::vector<double> counts;                  // samples, by weight
  std::vector<std::pair<double, double>> cdf;  // value, share at or below; at most a few hundred points
};

/// The run in equal stretches of time.
struct Timeline {
  double from_s = 0, step_s = 1;  // offset of the first stretch from the run's start, and their length
  std::vector<double> in_flight, output_tokens_per_s;
  std::vector<double> ttft_p50_ms, ttft_p95_ms;  // of the requests that began there; NaN: none
  std::vector<std::uint64_t> errors;
};

/// One request of the waterfall. Offsets from the run's start.
struct WaterfallBar {
  std::uint64_t id = 0;
  double intended_s = 0, sent_s = 0, first_token_s = 0, end_s = 0;
  bool failed = false;
};

/// The gaps of one stream, one after the other.
struct StreamTrace {
  std::uint64_t id = 0;
  std::string why;                    // "median", "slowest", "largest gap"
  std::vector<double> at_ms, gap_ms;  // since its first token
};

struct PromptDot {
  std::uint64_t prompt_tokens = 0;
  double ttft_ms = 0;
};

/// The pictures of one load point and target.
struct PointCharts {
  std::uint32_t point = 0, target = 0;
  std::vector<Distribution> distributions;  // ttft, itl (icl where there is no itl), e2e
  Timeline timeline;
  std::vector<PromptDot> ttft_by_prompt;  // a sample that keeps the extremes
  std::vector<WaterfallBar> waterfall;    // a stretch of the measured phase, by start
  std::vector<StreamTrace> streams;
};

struct Charts {
  std::vector<PointCharts> points;
};

}  // namespace infermeter
