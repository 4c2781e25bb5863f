#include "infermeter/model/result.hpp"

#include <algorithm>
#include <cmath>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/threshold.hpp"
#include "model/load.hpp"

namespace infermeter {

bool is_upper(Comparison comparison) {
  return comparison == Comparison::below || comparison == Comparison::at_most;
}

bool holds(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::below:
      return value < limit;
    case Comparison::at_most:
      return value <= limit;
    case Comparison::above:
      return value > limit;
    case Comparison::at_least:
      return value >= limit;
  }
  return false;
}

const Percentile* Metric::find(double percentile) const {
  const auto it = std::ranges::find_if(
      percentiles, [&](const auto& p) { return std::abs(p.percentile - percentile) < 1e-9; });
  return it == percentiles.end() ? nullptr : &*it;
}

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name) {
  const auto it = std::ranges::find(metrics, name, &Metric::name);
  return it == metrics.end() ? nullptr : &*it;
}

const Metric* PointResult::find(std::string_view metric) const { return find_metric(metrics, metric); }

const PossibleError* PointResult::error_of(std::string_view metric, std::string_view statistic) const {
  if (!possible_errors) return nullptr;
  const auto it = std::ranges::find_if(*possible_errors, [&](const PossibleError& error) {
    return error.metric == metric && error.statistic == statistic;
  });
  return it == possible_errors->end() ? nullptr : &*it;
}

const Metric* ServerWindow::find(std::string_view time) const { return find_metric(times, time); }

std::optional<double> ServerWindow::count(std::string_view name) const {
  const auto it =
      std::ranges::find(counts, name, [](const auto& count) { return std::string_view(count.first); });
  return it == counts.end() ? std::nullopt : std::optional(it->second);
}

std::uint64_t PointResult::requests_for_steady_rate() const {
  return load.open_loop ? 0 : infermeter::requests_for_steady_rate(own_part(load).concurrency);
}

bool PointResult::has_steady_rate() const {
  if (steady) return true;
  const bool judged =
      std::ranges::find(validity.checks, CheckKind::steady, &Check::kind) != validity.checks.end();
  return (load.in_blocks || !judged) && requests >= requests_for_steady_rate();
}

LoadPoint own_part(const LoadPoint& load) {
  LoadPoint part = load;
  const Shard shard = load.shard;
  if (shard.whole()) return part;
  part.shard = {};
  part.concurrency = static_cast<std::uint32_t>(shard.share(load.concurrency));
  part.max_in_flight = static_cast<std::uint32_t>(shard.share(load.max_in_flight));
  part.rate = load.rate / shard.of;
  part.scheduled_requests = load.shard_scheduled;
  const std::uint64_t warmup = load.warmup_requests.value_or(0);
  if (load.open_loop) {
    if (load.requests) part.requests = load.shard_scheduled;
    return part;
  }
  if (load.requests)
    part.requests = shard.share_of_slots(warmup + *load.requests, load.concurrency) -
                    shard.share_of_slots(warmup, load.concurrency);
  if (load.warmup_requests) part.warmup_requests = shard.share_of_slots(warmup, load.concurrency);
  return part;
}

bool PointResult::has_figures() const {
  return ok > 0 || std::ranges::any_of(slices, [](const Slice& slice) { return !slice.metrics.empty(); });
}

const Metric* Slice::find(std::string_view metric) const { return find_metric(metrics, metric); }

const Distribution* PointCharts::find(std::string_view metric) const {
  const auto it = std::ranges::find(distributions, metric, &Distribution::metric);
  return it == distributions.end() ? nullptr : &*it;
}

}  // namespace infermeter
