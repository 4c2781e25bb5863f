#include "infermeter/analysis/summarize.hpp"

#include <algorithm>

#include "analysis/assertions/slo.hpp"
#include "analysis/checks/validity.hpp"
#include "analysis/figures/counts.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/estimate.hpp"
#include "analysis/figures/in_flight.hpp"
#include "analysis/figures/possible_errors.hpp"
#include "analysis/figures/server_facts.hpp"
#include "analysis/figures/server_window.hpp"
#include "analysis/figures/throughput.hpp"
#include "analysis/figures/ttft_parts.hpp"
#include "analysis/figures/windows.hpp"
#include "analysis/findings/findings.hpp"
#include "analysis/slices.hpp"

namespace infermeter {

namespace {

struct Windows {
  std::optional<Window> candidate, whole;
  Steadiness steadiness;         // over the candidate
  std::optional<Window> steady;  // the candidate, if the load had settled
  const std::optional<Window>& best() const { return steady ? steady : whole; }
};

void add_metrics(PointResult& point, const RunRecords& run) {
  const double in_flight = mean_in_flight_of(point.load, run.measured);
  const auto rules = sample_rules(point.load, point.token_source, in_flight);
  auto set = make_metrics(run.timed, rules);
  point.metrics = std::move(set.metrics);
  point.possible_errors = possible_errors(run.timed, rules, point.metrics);
  point.comfort = set.comfort;
}

/// Where every stream was closed, their figures are judged.
void add_errors_of_closed(PointResult& point, const RunRecords& run) {
  const auto it = std::ranges::find(point.slices, SliceKind::cancel, &Slice::by);
  if (it == point.slices.end()) return;
  const auto rules = sample_rules(point.load, point.token_source, 1);
  point.possible_errors = possible_errors(run.measured, rules, it->metrics);
}

double tokens_per_uncounted_event(const PointResult& point) {
  return point.tokens_per_event > 0 ? point.tokens_per_event : 1;
}

/// A target that is measured in blocks has no steady window: each block starts anew.
Windows windows_of(const LoadPoint& load, const RunRecords& run) {
  Windows out;
  out.whole = whole_window(load, run.measured);
  if (load.in_blocks) {
    if (out.whole) out.whole = in_blocks(*out.whole, load.blocks);
    return out;
  }
  out.candidate = steady_window(load, run);
  if (out.candidate) out.steadiness = steadiness_of(load, run, *out.candidate);
  if (out.candidate && !out.steadiness.too_short) out.candidate = out.steadiness.window;
  if (out.steadiness.settled()) out.steady = out.candidate;
  return out;
}

void add_rates(PointResult& point, const RunRecords& run, const Windows& windows) {
  const double tokens_per_event = tokens_per_uncounted_event(point);
  if (windows.whole) point.whole = rates(run.all, *windows.whole, tokens_per_event);
  point.offered = offered_rate(point.load, run, windows.candidate);
  if (point.offered) point.served = rates(run.load, *windows.candidate, tokens_per_event).request;
  if (!windows.steady) return;
  point.steady = rates(run.all, *windows.steady, tokens_per_event);
  point.steady_from_s = static_cast<double>(windows.steady->from_us) / 1e6;
  point.steady_to_s = static_cast<double>(windows.steady->to_us) / 1e6;
}

/// Vectors of embeddings, documents of rerank, in the answers that ended in the window.
std::optional<double> item_throughput(const Records& all, const std::optional<Window>& window) {
  double items = 0;
  bool any = false;
  for (const auto* record : all) {
    if (!record->items || record->outcome != Outcome::ok) continue;
    any = true;
    if (window && window->counts(*record)) items += static_cast<double>(*record->items);
  }
  return any && window ? std::optional(items / window->seconds()) : std::nullopt;
}

void add_parts(PointResult& point, const RunRecords& run, const Windows& windows, const RunState& state) {
  point.slo = judge_slos(run.all, point.load.classes, windows.best());
  point.item_throughput = item_throughput(run.all, windows.best());
  const Rates& output = point.rates();
  if (state.gpus > 0 && output.window_s > 0) point.output_per_gpu = output.output / state.gpus;
  point.slices = make_slices(run, {point.load, windows.best(), tokens_per_uncounted_event(point)});
}

}  // namespace

PointResult summarize(const LoadPoint& load, std::span<const RequestRecord> records, const RunState& state) {
  const LoadPoint part = own_part(load);
  const auto run = order_records(records, part.classes);
  PointResult point;
  point.load = part;
  if (!run.all.empty()) {
    point.point = run.all.front()->point;
    point.target = run.all.front()->target;
  }
  count_records(run, point);
  count_stamps(run.measured, point);
  if (!run.measured.empty()) point.errors = error_bounds(run.measured);
  point.client_cpu_share = state.client_cpu_share;
  add_metrics(point, run);
  const Windows windows = windows_of(part, run);
  add_rates(point, run, windows);
  add_server_facts(run, state, point);
  if (windows.whole) point.scraped = server_window(state.scrapes, *windows.whole, run.all);
  point.ttft_parts = ttft_parts(point);
  add_parts(point, run, windows, state);
  if (point.ok == 0) add_errors_of_closed(point, run);
  point.achieved_ratio = achieved_ratio(part, run.load_measured, state.partial);
  point.validity = judge(point, run, windows.candidate, windows.steadiness, state);
  point.findings = find_out(point, run);
  point.load = load;
  return point;
}

}  // namespace infermeter
