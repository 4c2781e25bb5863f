#include "analysis/assertions/assertion_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/assertions/thresholds.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/figures.hpp"
#include "analysis/figures/metric_samples.hpp"

namespace infermeter {

namespace {

constexpr double kRounding = 1e-9;  // relative; what is nearer than this is equal

/// One that the result does not have is made from the records.
std::optional<Percentile> make_percentile(const std::string& metric, double percentile,
                                          const AssertionPlace& place) {
  auto samples = collect_metric(metric, place.answers, place.rules());
  if (!samples.events.empty()) {
    std::ranges::sort(samples.events, {}, &WeightedSample::value);
    return describe_percentile(samples.events, total_weight(samples.events), percentile,
                               samples.blocks_long_enough);
  }
  if (samples.in_order.empty()) return std::nullopt;
  auto sorted = samples.in_order;
  std::ranges::sort(sorted);
  return describe_percentile(samples.in_order, sorted, percentile);
}

std::optional<Percentile> find_percentile(const std::string& metric, double percentile,
                                          const AssertionPlace& place) {
  const auto* made = find_distribution(place.figures(), metric);
  if (!made) return std::nullopt;
  const auto* found = made->find(percentile);
  return found ? std::optional(*found) : make_percentile(metric, percentile, place);
}

bool is_of_events(const std::string& metric) { return metric == "itl" || metric == "icl"; }

/// None where the blocks vary so much that they are worth fewer than 30 independent samples, as for
/// percentiles.
Bounds mean_bounds(const Metric& metric, const AssertionPlace& place, const std::string& name) {
  const double count = static_cast<double>(metric.count);
  const double independent = metric.stddev / std::sqrt(count);
  const auto bounds = block_mean_bounds(collect_mean_blocks(name, place.answers, place.rules()), independent);
  if (!bounds.high) return {};
  if (is_of_events(name)) {
    const TimeBlocks blocks(place.answers);
    return metric.count >= kFewestEvents && blocks.long_enough(place.answers) ? bounds : Bounds{};
  }
  const double half = (*bounds.high - *bounds.low) / 2;
  const bool spread = half > kRounding * std::abs(metric.mean);
  const double n_eff = spread ? std::pow(kNormal * metric.stddev / half, 2) : count;
  return n_eff >= kFewestEffective ? bounds : Bounds{};
}

void add_distribution(const Threshold& assertion, const AssertionPlace& place, AssertedFigure& out) {
  const auto* metric = find_distribution(place.figures(), assertion.metric);
  if (!metric) return;
  out.unit = metric->unit;
  out.sampled = assertion.statistic != "min" && assertion.statistic != "max";
  if (const auto percentile = percentile_of(assertion.statistic)) {
    const auto found = find_percentile(assertion.metric, *percentile, place);
    if (!found) return;
    out.value = found->value;
    out.low = found->low;
    out.high = found->high;
    return;
  }
  out.value = figure(assertion, place.figures());
  if (assertion.statistic != "mean") return;
  const auto bounds = mean_bounds(*metric, place, assertion.metric);
  out.low = bounds.low;
  out.high = bounds.high;
}

/// Metric, and why it may be missing.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kReasons{{
    {"goodput", "No --slo says what a good request is."},
    {"slo_attainment", "No --slo says what a good request is."},
    {"cost", "No price is known: --price-input, --price-output or --price-per-hour tell it."},
    {"cost_per_1k", "No price is known: --price-input, --price-output or --price-per-hour tell it."},
    {"achieved_ratio", "Only an open loop (--rate) has a schedule to keep."},
    {"cache_hit_share", "The server does not report cached tokens."},
    {"output_per_gpu", "How many GPUs the target has is not known: --gpus tells it."},
    {"item_throughput", "Only embeddings have it."},
    {"tokens_per_event", "The server did not count the tokens."},
    {"comfort", "The tokens of an event are not known, so that there is no itl to be within a limit."},
    {"chars_per_second", "No answer has text that came in more than one piece."},
    {"concurrency", "No time passed that it could be a mean of."},
}};

}  // namespace

AssertedFigure asserted_figure(const Threshold& assertion, const AssertionPlace& place) {
  AssertedFigure out;
  const auto* known = find_figure(assertion.metric);
  out.unit = unit_name(known->unit);
  if (known->distribution) {
    add_distribution(assertion, place, out);
    return out;
  }
  out.value = figure(assertion, place.figures());
  if (out.value && std::isnan(*out.value)) out.value.reset();
  if (!out.value) return out;
  const auto bounds = single_bounds(assertion.metric, *out.value, place.numbers());
  out.low = bounds.low;
  out.high = bounds.high;
  return out;
}

std::string why_no_figure(const std::string& metric, const std::string& statistic,
                          const AssertionPlace& place) {
  const auto& point = place.figures();
  if (point.requests == 0) return "Nothing was measured here.";
  if (!statistic.empty() && place.answers.empty()) return "No request went well.";
  if (metric == "itl" && point.find("icl"))
    return "How many tokens an event carries is not known, so that there is no itl; icl (a gap between "
           "events) and tpot (a token, over the whole answer) are known.";
  if (find_distribution(point, metric)) return fmt::format("The records do not tell its {}.", statistic);
  const auto it = std::ranges::find_if(kReasons, [&](const auto& one) { return one.first == metric; });
  if (it != kReasons.end()) return std::string(it->second);
  if (metric.starts_with("server_")) return "The server does not report this time.";
  if (!point.load.stream) return "Whole answers (--no-stream) do not have it.";
  return "No answer has it.";
}

}  // namespace infermeter
