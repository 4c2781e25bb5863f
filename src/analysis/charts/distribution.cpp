#include "analysis/charts/parts.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {
namespace {

constexpr double kResolutionMs = 0.001;  // of the records; a smaller value has no place on a logarithmic axis
constexpr double kNarrowestMs = 0.005;   // a narrower bin shows the resolution, not the data
constexpr double kWidestResolved = 0.25;
constexpr double kFewestBins = 8, kMostBins = 80;  // for the bulk: as many as the samples can fill …
constexpr double kFarBins = 3;                     // … and at most this many times more for distant values
constexpr double kBulkTail = 0.001;                // on either side

/// The narrowest bin that the records' whole microseconds fill evenly around the middle of the samples.
double resolved_step(const std::vector<WeightedSample>& sorted, std::uint64_t total) {
  return std::min(kWidestResolved, std::log1p(kNarrowestMs / quantile(sorted, total, 0.5)));
}

/// The width of a bin, as a logarithm.
double bin_step(const std::vector<WeightedSample>& sorted, std::uint64_t total, double detail) {
  const double all = std::log(sorted.back().value / sorted.front().value);
  const double bulk = std::log(quantile(sorted, total, 1 - kBulkTail) / quantile(sorted, total, kBulkTail));
  const double bins =
      std::clamp(2 * std::sqrt(static_cast<double>(sorted.size())), kFewestBins, detail * kMostBins);
  return std::max({bulk / bins, all / (kFarBins * bins), resolved_step(sorted, total)});
}

void count_bins(const std::vector<WeightedSample>& sorted, std::uint64_t total, double detail,
                Distribution& out) {
  const double step = bin_step(sorted, total, detail);
  const double from = std::log(sorted.front().value) - step / 2;
  const auto bins = static_cast<std::size_t>(std::floor((std::log(sorted.back().value) - from) / step)) + 1;
  out.counts.assign(bins, 0);
  for (std::size_t i = 0; i <= bins; ++i) out.edges.push_back(std::exp(from + step * static_cast<double>(i)));
  for (const auto& sample : sorted) {
    const auto bin = static_cast<std::size_t>((std::log(sample.value) - from) / step);
    out.counts[std::min(bin, bins - 1)] += sample.weight;
  }
}

/// Shares at which the curve has a point: whole per cents (each, or every few), with more points at both
/// ends.
std::vector<double> shares(double detail) {
  const int step = static_cast<int>(std::lround(1 / detail));
  std::vector<double> out{0, 0.001, 0.002, 0.005, 0.01};
  for (int percent = std::max(2, step); percent < 99; percent += step) out.push_back(percent / 100.0);
  out.insert(out.end(), {0.99, 0.992, 0.994, 0.995, 0.996, 0.998, 0.999, 0.9995, 0.9999, 1});
  return out;
}

}  // namespace

Distribution make_distribution(std::string metric, std::vector<WeightedSample> samples, double detail) {
  for (auto& sample : samples) sample.value = std::max(sample.value, kResolutionMs);
  std::ranges::sort(samples, {}, &WeightedSample::value);
  Distribution out;
  out.metric = std::move(metric);
  out.unit = "ms";
  out.count = total_weight(samples);
  count_bins(samples, out.count, detail, out);
  for (const double share : shares(detail)) out.cdf.emplace_back(quantile(samples, out.count, share), share);
  return out;
}

}  // namespace infermeter
