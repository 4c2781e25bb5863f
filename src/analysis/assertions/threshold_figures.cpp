#include <algorithm>
#include <utility>

#include "analysis/assertions/thresholds.hpp"
#include "analysis/figures/choice_streams.hpp"
#include "analysis/figures/figures.hpp"
#include "analysis/figures/samples.hpp"

namespace infermeter {

namespace {

using Value = std::optional<double>;

Value statistic_of(const Metric* metric, std::string_view statistic) {
  if (!metric) return std::nullopt;
  if (statistic == "mean") return metric->mean;
  if (statistic == "min") return metric->min;
  if (statistic == "max") return metric->max;
  const auto* found = metric->find(percentile_of(statistic).value_or(50));
  return found ? Value(found->value) : std::nullopt;
}

Value share_of(const PointResult& point, bool (*belongs)(const OutcomeCount&)) {
  if (point.requests == 0) return std::nullopt;
  std::uint64_t count = 0;
  for (const auto& outcome : point.outcomes) count += belongs(outcome) ? outcome.count : 0;
  return static_cast<double>(count) / static_cast<double>(point.requests);
}

bool is_failure(const OutcomeCount& count) { return is_error(count.outcome, count.status); }

/// Of all tries: one that was refused and tried again with success was refused too.
Value rate_limited(const PointResult& point) {
  if (point.requests == 0) return std::nullopt;
  const auto limited = point.rate_limits ? point.rate_limits->limited : 0;
  return static_cast<double>(limited) / static_cast<double>(point.requests + point.retries);
}

/// The steady window's, else the whole run's; nothing where no time passed.
Value rate_of(const PointResult& point, double Rates::* rate) {
  const Rates& rates = point.steady ? *point.steady : point.whole;
  return rates.window_s > 0 ? Value(rates.*rate) : std::nullopt;
}

/// Nothing where no request could be judged.
Value slo_figure(const PointResult& point, double SloResult::* member) {
  return point.slo && point.slo->requests > 0 ? Value((*point.slo).*member) : std::nullopt;
}

template <typename Part, typename Member>
Value part_of(const std::optional<Part>& part, Member Part::* member) {
  return part ? Value(static_cast<double>((*part).*member)) : std::nullopt;
}

Value count(std::uint64_t value) { return static_cast<double>(value); }

using PointFigure = Value (*)(const PointResult&);
using P = PointResult;
constexpr std::pair<std::string_view, PointFigure> kSingle[] = {
    {"request_throughput", [](const P& p) { return rate_of(p, &Rates::request); }},
    {"input_throughput", [](const P& p) { return rate_of(p, &Rates::input); }},
    {"output_throughput", [](const P& p) { return rate_of(p, &Rates::output); }},
    {"total_throughput", [](const P& p) { return rate_of(p, &Rates::total); }},
    {"concurrency", [](const P& p) { return rate_of(p, &Rates::concurrency); }},
    {"item_throughput", [](const P& p) { return p.item_throughput; }},
    {"output_per_gpu", [](const P& p) { return p.output_per_gpu; }},
    {"goodput", [](const P& p) { return slo_figure(p, &SloResult::goodput); }},
    {"slo_attainment", [](const P& p) { return slo_figure(p, &SloResult::attainment); }},
    {"error_rate", [](const P& p) { return share_of(p, is_failure); }},
    {"rate_limited", rate_limited},
    {"comfort", [](const P& p) { return p.comfort; }},
    {"achieved_ratio", [](const P& p) { return p.achieved_ratio; }},
    {"cache_hit_share", [](const P& p) { return part_of(p.cache, &CacheFacts::hit_share); }},
    {"tokens_per_event",
     [](const P& p) { return p.tokens_per_event > 0 ? Value(p.tokens_per_event) : std::nullopt; }},
    {"cost", [](const P& p) { return part_of(p.cost, &Cost::total); }},
    {"cost_per_1k", [](const P& p) { return part_of(p.cost, &Cost::per_1k); }},
    {"requests", [](const P& p) { return count(p.requests); }},
    {"ok", [](const P& p) { return count(p.ok); }},
    {"retries", [](const P& p) { return count(p.retries); }},
};

/// The statistic of one request's own gaps.
Value gap_statistic(std::vector<WeightedSample> gaps, std::string_view statistic) {
  if (gaps.empty()) return std::nullopt;
  std::ranges::sort(gaps, {}, &WeightedSample::value);
  const auto total = total_weight(gaps);
  if (statistic == "min") return gaps.front().value;
  if (statistic == "max") return gaps.back().value;
  if (statistic != "mean") return quantile(gaps, total, percentile_of(statistic).value_or(50) / 100);
  double sum = 0;
  for (const auto& gap : gaps) sum += gap.value * gap.weight;
  return sum / static_cast<double>(total);
}

Value worst(const std::vector<double>& of_choices, bool low_tail) {
  if (of_choices.empty()) return std::nullopt;
  return low_tail ? std::ranges::min(of_choices) : std::ranges::max(of_choices);
}

Value stream_figure(std::string_view metric, const Records& one) {
  const auto streams = collect_streams(one, false);
  if (metric == "ttst") return worst(streams.ttst, false);
  if (metric == "tpot") return worst(streams.tpot, false);
  if (metric == "tps") return worst(streams.tps, true);
  if (metric == "max_gap") return worst(streams.max_gap, false);
  if (metric == "stalls") return worst(streams.stalls, false);
  return std::nullopt;
}

Value instant_figure(std::string_view metric, const RequestRecord& record) {
  for (const auto metrics : {metrics_to_first_token(), metrics_of_text(), metrics_to_end()}) {
    const auto it = std::ranges::find(metrics, metric, &RequestMetric::name);
    if (it != metrics.end()) return it->value(record);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> figure(const Threshold& threshold, const PointResult& point) {
  if (!threshold.statistic.empty())
    return statistic_of(find_distribution(point, threshold.metric), threshold.statistic);
  for (const auto& [name, value] : kSingle) {
    if (name == threshold.metric) return value(point);
  }
  return std::nullopt;
}

std::optional<double> limit_of(const Threshold& threshold, const PointResult& point) {
  if (threshold.of_metric.empty()) return threshold.limit;
  Threshold other;
  other.metric = threshold.of_metric;
  other.statistic = threshold.of_statistic;
  const auto value = figure(other, point);
  return value ? Value(threshold.limit * *value) : std::nullopt;
}

std::optional<bool> holds(const Threshold& threshold, const PointResult& point) {
  const auto value = figure(threshold, point), limit = limit_of(threshold, point);
  if (!value || !limit) return std::nullopt;
  return holds(*value, threshold.comparison, *limit);
}

std::optional<double> figure(const Threshold& slo, const RequestRecord& record) {
  if (record.outcome != Outcome::ok && record.outcome != Outcome::cancelled) return std::nullopt;
  if (const auto value = instant_figure(slo.metric, record)) return value;
  const Records one{&record};
  if (slo.statistic.empty()) return stream_figure(slo.metric, one);
  const TimeBlocks blocks(one);
  return gap_statistic(slo.metric == "itl" ? collect_itl(one, blocks) : collect_icl(one, blocks),
                       slo.statistic);
}

}  // namespace infermeter
