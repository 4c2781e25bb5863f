// Records → samples of each metric, by the formulas of docs/metrics.md. Times in milliseconds. Pure; any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figures/token_counts.hpp"
#include "analysis/runs/run_records.hpp"
#include "analysis/statistics/quantiles.hpp"

namespace infermeter {

/// A metric with at most one sample a request.
struct RequestMetric {
  std::string_view name;
  bool streams_only;  // has no meaning for an answer that came as one body
  std::optional<double> (*value)(const RequestRecord&);
};

/// client_queue, dns, connect, tls, upload, ttfb, ttft, ttft_response, ttfo: up to the first token.
std::span<const RequestMetric> metrics_to_first_token();
/// chars_per_second: from the first visible event to the last token.
std::span<const RequestMetric> metrics_of_text();
/// e2e, e2e_response, tail.
std::span<const RequestMetric> metrics_to_end();

std::vector<double> collect(const Records& records, const RequestMetric& metric);

/// The server's own times.
using ServerTime = std::optional<double> ServerTimes::*;
inline constexpr std::array<std::pair<std::string_view, ServerTime>, 4> kServerTimes{
    {{"queue", &ServerTimes::queue_ms},
     {"prefill", &ServerTimes::prefill_ms},
     {"decode", &ServerTimes::decode_ms},
     {"ttft", &ServerTimes::ttft_ms}}};
std::vector<double> collect_server_times(const Records& records, ServerTime time);

/// Samples that need the events of a stream; one per choice.
struct StreamSamples {
  std::vector<double> ttst, tpot, tps, max_gap, stalls;
  double tokens = 0, seconds = 0;  // of all tps samples: their pooled rate is tokens / seconds
};

/// `counted_only` leaves answers whose tokens the server did not count out of tpot and tps.
StreamSamples collect_streams(const Records& records, bool counted_only);

/// Ten blocks of equal time from the first token of the records to their last one.
class TimeBlocks {
 public:
  explicit TimeBlocks(const Records& records);
  std::uint32_t of(std::int64_t at_us) const;
  double block_us() const;
  /// Each block lasts at least one mean E2E of the answers: only then does it say anything of its own.
  bool long_enough(const Records& answers) const;

 private:
  std::int64_t from_us_ = 0, to_us_ = 1;
};

/// Every gap between neighbouring events of a choice.
std::vector<WeightedSample> collect_icl(const Records& records, const TimeBlocks& blocks);

/// Time per token, weighted by tokens. Events of one instant are one with the sum of their tokens, events
/// without a token are part of the next one's gap. Answers of unknown tokens per event are left out; empty
/// unless at least nine in ten are known: short answers can be known by chance and would speak for all.
std::vector<WeightedSample> collect_itl(const Records& records, const TimeBlocks& blocks);

}  // namespace infermeter
