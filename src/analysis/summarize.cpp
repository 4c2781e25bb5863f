#include "infermeter/analysis/summarize.hpp"

#include <numeric>

#include "counts.hpp"
#include "describe.hpp"
#include "findings.hpp"
#include "samples.hpp"
#include "throughput.hpp"
#include "validity.hpp"
#include "windows.hpp"

namespace infermeter {

namespace {

void add(PointResult& point, std::string_view name, std::string_view unit, std::vector<double> values) {
  if (!values.empty()) point.metrics.push_back(describe(name, unit, std::move(values)));
}

void add_request_metrics(PointResult& point, const Records& ok, std::span<const RequestMetric> metrics) {
  for (const auto& metric : metrics) {
    if (point.load.stream || !metric.streams_only) add(point, metric.name, "ms", collect(ok, metric));
  }
}

/// Its mean is pooled: the mean of rates would count a short answer as much as a long one.
void add_tps(PointResult& point, StreamSamples& streams) {
  if (streams.tps.empty()) return;
  const auto* unit = point.token_source == "events" ? "events/s" : "tokens/s";
  auto metric = describe("tps", unit, std::move(streams.tps), Tail::low);
  metric.mean = streams.tokens / streams.seconds;
  point.metrics.push_back(std::move(metric));
}

double share_within(const std::vector<WeightedSample>& samples, double limit) {
  std::uint64_t within = 0;
  for (const auto& sample : samples) within += sample.value <= limit ? sample.weight : 0;
  return static_cast<double>(within) / static_cast<double>(total_weight(samples));
}

bool blocks_long_enough(const Records& ok, const TimeBlocks& blocks) {
  const auto e2e = collect(ok, metrics_to_end().front());
  const double sum_ms = std::accumulate(e2e.begin(), e2e.end(), 0.0);
  return !e2e.empty() && blocks.block_us() >= sum_ms * 1e3 / static_cast<double>(e2e.size());
}

/// With one token an event and no two at one instant, times per token are the gaps: one sort serves both.
bool are_plain_gaps(const std::vector<WeightedSample>& itl, const Metric* icl) {
  return icl && itl.size() == icl->count && total_weight(itl) == icl->count;
}

/// One vector of gaps at a time: with 10⁷ of them each takes 160 MB and a second to sort.
void add_gap_metrics(PointResult& point, const Records& ok) {
  const TimeBlocks blocks(ok);
  const bool intervals = blocks_long_enough(ok, blocks);
  if (auto icl = collect_icl(ok, blocks); !icl.empty())
    point.metrics.push_back(describe_events("icl", "ms", std::move(icl), intervals));
  auto itl = collect_itl(ok, blocks);
  if (itl.empty()) return;
  point.comfort = share_within(itl, point.load.comfort_ms);
  const auto* icl = point.find("icl");
  auto metric = are_plain_gaps(itl, icl) ? *icl : describe_events("itl", "ms", std::move(itl), intervals);
  metric.name = "itl";
  point.metrics.push_back(std::move(metric));
}

void add_metrics(PointResult& point, const Records& ok) {
  StreamSamples streams;
  if (point.load.stream) streams = collect_streams(ok, point.token_source != "events");
  add_request_metrics(point, ok, metrics_to_first_token());
  add(point, "ttst", "ms", std::move(streams.ttst));
  if (point.load.stream) add_gap_metrics(point, ok);
  add(point, "tpot", "ms", std::move(streams.tpot));
  add_tps(point, streams);
  add_request_metrics(point, ok, metrics_to_end());
  add(point, "max_gap", "ms", std::move(streams.max_gap));
  add(point, "stalls", "count", std::move(streams.stalls));
}

void add_rates(PointResult& point, const RunRecords& run, const std::optional<Window>& steady) {
  const double tokens_per_event = point.tokens_per_event > 0 ? point.tokens_per_event : 1;
  if (const auto whole = whole_window(run)) point.whole = rates(run.measured, *whole, tokens_per_event);
  if (!steady) return;
  point.steady = rates(run.all, *steady, tokens_per_event);
  point.steady_from_s = static_cast<double>(steady->from_us) / 1e6;
  point.steady_to_s = static_cast<double>(steady->to_us) / 1e6;
}

}  // namespace

PointResult summarize(const LoadPoint& load, std::span<const RequestRecord> records, const RunState& state) {
  const auto run = order_records(records);
  PointResult point;
  point.load = load;
  if (!run.all.empty()) {
    point.point = run.all.front()->point;
    point.target = run.all.front()->target;
  }
  count_records(run, point);
  count_stamps(run.measured, point);
  add_metrics(point, run.ok);
  const auto steady = steady_window(load, run);
  add_rates(point, run, steady);
  point.achieved_ratio = achieved_ratio(load, run.measured, state.partial);
  point.validity = judge(point, run, steady, state);
  point.findings = find_out(point, run);
  return point;
}

}  // namespace infermeter
