#include "analysis/figures/metric_set.hpp"

#include <algorithm>
#include <utility>

#include "analysis/figures/describe.hpp"

namespace infermeter {

namespace {

double share_within(const std::vector<WeightedSample>& samples, double limit) {
  std::uint64_t within = 0;
  for (const auto& sample : samples) within += sample.value <= limit ? sample.weight : 0;
  return static_cast<double>(within) / static_cast<double>(total_weight(samples));
}

/// With one token an event and no two at one instant, times per token are the gaps: one sort serves both.
const Metric* equal_gaps(const std::vector<WeightedSample>& itl, const std::vector<Metric>& metrics) {
  const auto icl = std::ranges::find(metrics, "icl", &Metric::name);
  const bool plain = icl != metrics.end() && itl.size() == icl->count && total_weight(itl) == icl->count;
  return plain ? &*icl : nullptr;
}

/// One vector of gaps at a time: with 10⁷ of them each takes 160 MB and a second to sort.
void add_gaps(const Figure& figure, const Records& answers, const SampleRules& rules, MetricSet& set) {
  const TimeBlocks blocks(answers);
  auto samples = collect_gaps(answers, figure, blocks);
  if (samples.empty()) return;
  if (figure.level == FigureLevel::token) {
    set.comfort = share_within(samples, rules.comfort_ms);
    if (const auto* gaps = equal_gaps(samples, set.metrics)) {
      auto metric = *gaps;
      metric.name = figure.name;
      set.metrics.push_back(std::move(metric));
      return;
    }
  }
  set.metrics.push_back(describe_events(figure, std::move(samples), blocks.long_enough(answers)));
}

std::vector<const Figure*> request_figures_by_server(bool by_server) {
  std::vector<const Figure*> out;
  for (const auto& figure : known_figures()) {
    if (figure.of_request && figure.by_server == by_server) out.push_back(&figure);
  }
  return out;
}

}  // namespace

MetricSet make_metrics(const Records& answers, const SampleRules& rules) {
  const auto figures = request_figures_by_server(false);
  const auto samples = collect(answers, figures, rules);
  MetricSet set;
  std::size_t next = 0;
  for (const auto& figure : known_figures()) {
    if (figure.has_gaps() && rules.stream) add_gaps(figure, answers, rules, set);
    if (next == figures.size() || figures[next] != &figure) continue;
    const auto& own = samples[next++];
    if (!own.empty()) set.metrics.push_back(describe(figure, own, rules.counted));
  }
  return set;
}

std::vector<Metric> make_server_metrics(const Records& answers) {
  constexpr std::string_view kServer = "server_";
  const auto figures = request_figures_by_server(true);
  const auto samples = collect(answers, figures, {});
  std::vector<Metric> out;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (samples[i].empty()) continue;
    out.push_back(describe(*figures[i], samples[i]));
    out.back().name = figures[i]->name.substr(kServer.size());
  }
  return out;
}

}  // namespace infermeter
