#include "analysis/charts/charts.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/figures/samples.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMostDots = 1500;
constexpr std::size_t kMostBars = 100;
constexpr std::size_t kMostGaps = 2000;
constexpr std::size_t kFullPoints = 10;  // a longer sweep divides the total of this many points
constexpr double kLeastDetail = 0.2;     // of a curve: fewer points show no shape

std::vector<WeightedSample> plain(const std::vector<double>& values) {
  std::vector<WeightedSample> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back({value, 1, 0});
  return out;
}

/// In open loop the figure from the intended time replaces the figure, or stands before it where it is shown
/// by itself.
const Figure* shown_figure(const Figure& figure, bool open_loop) {
  if (figure.tells == FigureTells::from_intended) return open_loop ? &figure : nullptr;
  const auto& response = headline_figure(figure, open_loop);
  return response.is_shown(FigureOutput::charts) ? &figure : &response;
}

std::vector<WeightedSample> samples_of(const Figure& figure, const PointResult& point, const Records& timed) {
  const SampleRules rules{point.load.stream, point.token_source != TokenSource::events,
                          point.load.comfort_ms};
  if (!figure.has_gaps()) return plain(values_of(collect(timed, figure, rules)));
  if (!rules.stream || !tells_more(figure, point)) return {};
  return collect_gaps(timed, figure, TimeBlocks(timed));
}

/// Each where the point has a sample.
std::vector<Distribution> make_distributions(const PointResult& point, const Records& timed, double detail) {
  std::vector<Distribution> out;
  for (const auto& shown : shown_figures(FigureOutput::charts)) {
    const auto* figure = shown_figure(*shown.figure, point.load.open_loop);
    auto samples = figure ? samples_of(*figure, point, timed) : std::vector<WeightedSample>{};
    if (!samples.empty())
      out.push_back(make_distribution(std::string(figure->name), std::move(samples), detail));
  }
  return out;
}

bool gaps_were_kept(const Records& timed) {
  const auto streamed = [](const auto* r) { return r->events >= 2; };
  return std::ranges::none_of(timed, streamed) ||
         std::ranges::any_of(timed, [](const auto* r) { return !r->gaps_us.empty(); });
}

/// The charts of one point, with `share` of the most values that a point may have.
PointCharts make_point(const PointResult& point, std::span<const RequestRecord> records, double share) {
  const RunRecords run = order_records(records, point.load.classes);
  const auto most = [share](std::size_t full) {
    return std::max<std::size_t>(8, static_cast<std::size_t>(share * static_cast<double>(full)));
  };
  const double detail = std::max(kLeastDetail, share);
  PointCharts out;
  out.point = point.point;
  out.target = point.target;
  out.gaps_kept = gaps_were_kept(run.timed);
  out.distributions = make_distributions(point, run.timed, detail);
  out.timeline = make_timeline(run.all, point.tokens_per_event > 0 ? point.tokens_per_event : 1, detail);
  out.ttft_by_prompt = pick_prompts(run.timed, most(kMostDots));
  out.waterfall = pick_waterfall(run.measured, most(kMostBars));
  out.streams = pick_streams(run.timed, most(kMostGaps));
  return out;
}

/// The records by point and target; copied only if they do not come in that order.
class Sorted {
 public:
  explicit Sorted(std::span<const RequestRecord> records) : records_(records) {
    if (std::ranges::is_sorted(records, {}, place)) return;
    own_.assign(records.begin(), records.end());
    std::ranges::stable_sort(own_, {}, place);
    records_ = own_;
  }
  std::span<const RequestRecord> of(const PointResult& point) const {
    const auto range = std::ranges::equal_range(records_, std::pair(point.point, point.target), {}, place);
    return {range.begin(), range.end()};
  }

 private:
  static std::pair<std::uint32_t, std::uint32_t> place(const RequestRecord& r) { return {r.point, r.target}; }
  std::span<const RequestRecord> records_;
  std::vector<RequestRecord> own_;
};

double output_of(const PointResult& point) { return point.rates().output; }

bool dominates(const SpeedDot& a, const SpeedDot& b) {
  return a.per_user >= b.per_user && a.output >= b.output && (a.per_user > b.per_user || a.output > b.output);
}

void add_speeds(const RunResult& run, Charts& out) {
  std::vector<const PointResult*> points;
  for (const auto& point : run.points) {
    const Metric* tps = point.find("tps");
    if (tps && tps->find(50) && output_of(point) > 0) points.push_back(&point);
  }
  out.per_gpu = !points.empty() &&
                std::ranges::all_of(points, [](const auto* p) { return p->output_per_gpu.has_value(); });
  for (const auto* point : points) {
    const double output = out.per_gpu ? *point->output_per_gpu : output_of(*point);
    out.speeds.push_back({point->point, point->target, point->find("tps")->find(50)->value, output, false});
  }
  for (auto& dot : out.speeds)
    dot.pareto =
        std::ranges::none_of(out.speeds, [&](const SpeedDot& other) { return dominates(other, dot); });
}

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

Charts make_charts(const RunResult& run, std::span<const RequestRecord> records) {
  const Sorted sorted(records);
  Charts out;
  const double share =
      std::min(1.0, static_cast<double>(kFullPoints) / static_cast<double>(run.points.size()));
  for (const auto& point : run.points) {
    const auto own = sorted.of(point);
    if (!own.empty()) out.points.push_back(make_point(point, own, share));
  }
  add_speeds(run, out);
  return out;
}

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
