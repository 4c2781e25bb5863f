// The data of charts: aggregates of a run's records, small whatever the run's size. Made by analysis/charts,
// drawn by report (page, terminal). Plain values; times in milliseconds, offsets in seconds since the run's
// start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

/// A distribution over a logarithmic axis.
struct Distribution {
  std::string metric, unit;                    // a name of docs/metrics.md: "ttft", "itl", …
  std::uint64_t count = 0;                     // samples, by weight
  std::vector<double> edges;                   // ascending, of equal ratio; one more than counts
  std::vector<double> counts;                  // samples, by weight
  std::vector<std::pair<double, double>> cdf;  // value, share at or below; at most 200 points
};

/// The run in stretches of equal length, warm-up included.
struct Timeline {
  double from_s = 0, step_s = 1;                 // offset of the first stretch, and their length
  std::vector<double> in_flight;                 // mean
  std::vector<double> output_tokens_per_s;       // by arrival; events where the server does not count tokens
  std::vector<double> ttft_p50_ms, ttft_p95_ms;  // of the requests that were sent in the stretch; NaN: none
  std::vector<std::uint64_t> errors;             // requests that failed in the stretch
};

/// One request of the waterfall; the instants ascend. An instant that did not happen (the first token of a
/// failed request) has the time of the end.
struct WaterfallBar {
  std::uint64_t id = 0;
  double intended_s = 0, sent_s = 0;
  double queued_until_s = 0;  // by the server's own report; `sent_s` without one
  double first_token_s = 0, end_s = 0;
  bool failed = false;
};

/// The gaps of one stream in order; for a long stream the largest gap of every few.
struct StreamTrace {
  std::uint64_t id = 0;
  std::string why;                    // "fastest", "median", "slowest", "largest gap"
  std::vector<double> at_ms, gap_ms;  // since its first token
};

struct PromptDot {
  std::uint64_t prompt_tokens = 0;
  double ttft_ms = 0;
};

/// The charts of one load point and target.
struct PointCharts {
  std::uint32_t point = 0, target = 0;
  bool gaps_kept = true;  // false: the records do not contain what lay between first and last token
  /// ttft (in open loop ttft_response before it), itl (icl where there is no itl), tpot, e2e (in open loop
  /// e2e_response); each where it has a sample.
  std::vector<Distribution> distributions;
  Timeline timeline;
  std::vector<PromptDot> ttft_by_prompt;  // a sample that keeps the extremes
  std::vector<WaterfallBar> waterfall;    // neighbours from the middle of the measured phase, by intention
  std::vector<StreamTrace> streams;

  const Distribution* find(std::string_view metric) const;
};

/// A load point as its users and its owner see it: the speed of one stream against the total output.
struct SpeedDot {
  std::uint32_t point = 0, target = 0;
  double per_user = 0;  // tokens per second of one stream, median
  double output = 0;    // tokens per second and GPU; of the whole target where its number of GPUs is unknown
  bool pareto = false;  // no other point is better in both
};

struct Charts {
  std::vector<PointCharts> points;  // of every measured point, in the order of the result
  std::vector<SpeedDot> speeds;     // of points with both figures
  bool per_gpu = false;             // `output` of all is per GPU
};

}  // namespace infermeter
