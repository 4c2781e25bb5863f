#include "analysis/figures/possible_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "analysis/statistics/quantiles.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// A statistic of the samples on one side.
using StatisticOf = std::function<double(std::string_view statistic)>;

/// Absent: the side has no samples, as where all of a stream may have come at one instant.
struct Sides {
  std::optional<StatisticOf> low, high;
};

bool is_uncertain(const RequestRecord& record) {
  return record.early_us && (!record.early_us->empty() || record.end_early_us > 0);
}

std::optional<StatisticOf> of_requests(const RequestSamples& samples) {
  if (samples.empty()) return std::nullopt;
  double above = 0, below = 0;
  for (const auto& sample : samples) {
    above += sample.above;
    below += sample.below;
  }
  auto values = values_of(samples);
  std::ranges::sort(values);
  return [values = std::move(values), mean = above / below](std::string_view statistic) {
    if (statistic == "mean") return mean;
    if (statistic == "min") return values.front();
    if (statistic == "max") return values.back();
    return quantile(values, *percentile_of(statistic) / 100);
  };
}

std::optional<StatisticOf> of_gaps(std::vector<WeightedSample> samples) {
  if (samples.empty()) return std::nullopt;
  std::ranges::sort(samples, {}, &WeightedSample::value);
  double sum = 0;
  for (const auto& sample : samples) sum += sample.value * sample.weight;
  const std::uint64_t total = total_weight(samples);
  return [samples = std::move(samples), total,
          mean = sum / static_cast<double>(total)](std::string_view statistic) {
    if (statistic == "mean") return mean;
    if (statistic == "min") return samples.front().value;
    if (statistic == "max") return samples.back().value;
    return quantile(samples, total, *percentile_of(statistic) / 100);
  };
}

std::optional<double> value_of(const Metric& metric, std::string_view statistic) {
  if (statistic == "mean") return metric.mean;
  if (statistic == "min") return metric.min;
  if (statistic == "max") return metric.max;
  const auto percentile = percentile_of(statistic);
  const auto* found = percentile ? metric.find(*percentile) : nullptr;
  return found ? std::optional(found->value) : std::nullopt;
}

/// A rate is the greater, the shorter its time: the sides are not in the order of their values.
PossibleError distance(const Figure& figure, std::string_view statistic, double value, const Sides& sides) {
  PossibleError error{.metric = std::string(figure.name), .statistic = std::string(statistic)};
  for (const auto* side : {&sides.low, &sides.high}) {
    const double there = *side ? (**side)(statistic) : 0;
    error.less = std::max(error.less, value - there);
    error.more = std::max(error.more, there - value);
  }
  return error;
}

void add_errors(const Metric& metric, const Figure& figure, const Sides& sides,
                std::vector<PossibleError>& out) {
  for (const auto& statistic : statistics_of(figure)) {
    const auto value = value_of(metric, statistic);
    if (!value) continue;
    auto error = distance(figure, statistic, *value, sides);
    if (error.largest() > 0) out.push_back(std::move(error));
  }
}

bool tell_arrivals(const Records& answers) {
  return std::ranges::none_of(answers, [](const auto* r) { return r->reads > 0 && !r->early_us; });
}

std::optional<StatisticOf> statistics_on(const Figure& figure, const Records& answers, SampleRules rules,
                                         ArrivalSide side) {
  rules.side = side;
  if (figure.has_gaps()) return of_gaps(collect_gaps(answers, figure, TimeBlocks(answers), side));
  return of_requests(collect(answers, figure, rules));
}

/// Of each of these figures, in their order.
std::vector<Sides> sides_of(const Records& answers, SampleRules rules,
                            const std::vector<const Figure*>& figures) {
  std::vector<const Figure*> of_request;
  std::ranges::copy_if(figures, std::back_inserter(of_request),
                       [](const Figure* figure) { return figure->of_request != nullptr; });
  std::vector<Sides> out(figures.size());
  const TimeBlocks blocks(answers);
  for (const auto side : {ArrivalSide::low, ArrivalSide::high}) {
    rules.side = side;
    const auto samples = collect(answers, of_request, rules);
    for (std::size_t i = 0, next = 0; i < figures.size(); ++i) {
      auto& of_side = side == ArrivalSide::low ? out[i].low : out[i].high;
      of_side = figures[i]->has_gaps() ? of_gaps(collect_gaps(answers, *figures[i], blocks, side))
                                       : of_requests(samples[next++]);
    }
  }
  return out;
}

}  // namespace

std::optional<PossibleError> possible_error(const Figure& figure, std::string_view statistic,
                                            const Records& answers, const SampleRules& rules) {
  if (!tell_arrivals(answers)) return std::nullopt;
  const auto recorded = statistics_on(figure, answers, rules, ArrivalSide::recorded);
  if (!recorded) return std::nullopt;
  const Sides sides{statistics_on(figure, answers, rules, ArrivalSide::low),
                    statistics_on(figure, answers, rules, ArrivalSide::high)};
  return distance(figure, statistic, (*recorded)(statistic), sides);
}

double allowed_error(const Figure& figure, double value) {
  constexpr double kShare = 0.02, kLeastMs = 0.5;
  const bool wait = figure.unit == FigureUnit::milliseconds && figure.span == FigureSpan::to_event;
  return std::max(wait ? kLeastMs : 0, kShare * value);
}

std::string error_words(const Figure& figure, const PossibleError& error, double value) {
  const bool less = error.less >= error.more;
  const std::string unit(name(figure.unit));
  return fmt::format("{} {} {} {} may be up to {} {} {}", figure.brief(), error.statistic,
                     format_number(value), unit, format_number(error.largest(), 2), unit,
                     less ? "less" : "more");
}

std::optional<std::vector<PossibleError>> possible_errors(const Records& answers, const SampleRules& rules,
                                                          const std::vector<Metric>& metrics) {
  if (!tell_arrivals(answers)) return std::nullopt;
  std::vector<PossibleError> out;
  if (std::ranges::none_of(answers, [](const auto* record) { return is_uncertain(*record); })) return out;
  std::vector<const Figure*> figures;
  for (const auto& metric : metrics) figures.push_back(find_figure(metric.name));
  const auto sides = sides_of(answers, rules, figures);
  for (std::size_t i = 0; i < metrics.size(); ++i) add_errors(metrics[i], *figures[i], sides[i], out);
  return out;
}

}  // namespace infermeter
