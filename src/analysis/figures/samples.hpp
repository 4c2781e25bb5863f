// Records → samples of a figure, by its row of the catalogue. Times in milliseconds. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/figures/arrival_bounds.hpp"
#include "analysis/runs/run_records.hpp"
#include "analysis/statistics/percentile_bounds.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

/// How answers are interpreted.
struct SampleRules {
  bool stream = true;
  /// The server counted tokens: answers without a count are left out of per-token figures. Else events stand
  /// for tokens.
  bool counted = true;
  double comfort_ms = 30;
  /// Mean number of these answers in flight.
  double in_flight = 1;
  /// When each run begins (from the first on), where the answers are of several; else empty.
  std::vector<std::int64_t> runs_from_us = {};
  /// At which end of their bounds uncertain events are taken to have arrived.
  ArrivalSide side = ArrivalSide::recorded;
};

/// Of the answers of a load, or of a part of them, of which `in_flight` are in flight.
SampleRules sample_rules(const LoadPoint& load, std::optional<TokenSource> source, double in_flight);

using RequestSamples = std::vector<RequestSample>;

/// Of a figure of level request; empty for others.
RequestSamples collect(const Records& records, const Figure& figure, const SampleRules& rules = {});
/// Of several figures in one pass, in the same order.
std::vector<RequestSamples> collect(const Records& records, std::span<const Figure* const> figures,
                                    const SampleRules& rules);

/// Samples with their layout, from which their intervals follow.
struct LaidOutSamples {
  RequestSamples samples;
  SampleLayout layout;
};
std::vector<LaidOutSamples> collect_in_layout(const Records& records, std::span<const Figure* const> figures,
                                              const SampleRules& rules);

std::vector<double> values_of(const RequestSamples& samples);

/// Ten blocks of equal time from the first token of the records to the last.
class TimeBlocks {
 public:
  explicit TimeBlocks(const Records& records);
  std::uint32_t of(std::int64_t at_us) const;
  double block_us() const;
  /// Each block lasts at least one mean E2E of the answers; shorter blocks are not independent.
  bool long_enough(const Records& answers) const;

 private:
  std::int64_t from_us_ = 0, to_us_ = 1;
};

/// Of a figure of level event or token. Answers whose tokens per event are unknown are left out of per-token
/// figures. Such a figure is empty unless at least nine in ten answers are known: short answers may be known
/// by chance and would not be representative.
std::vector<WeightedSample> collect_gaps(const Records& records, const Figure& figure,
                                         const TimeBlocks& blocks, ArrivalSide side = ArrivalSide::recorded);

}  // namespace infermeter
