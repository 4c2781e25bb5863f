#include "analysis/compare/differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/assertions/thresholds.hpp"
#include "analysis/figures/samples.hpp"
#include "analysis/figures/throughput.hpp"
#include "analysis/runs/run_blocks.hpp"
#include "analysis/statistics/pairs.hpp"

namespace infermeter {

namespace {

using Value = std::optional<double>;

struct Statistic {
  std::string_view metric, statistic;
};
constexpr std::array kStatistics{Statistic{"ttft", "p50"},
                                 Statistic{"ttft", "p95"},
                                 Statistic{"ttft_response", "p50"},
                                 Statistic{"ttft_response", "p95"},
                                 Statistic{"ttfo", "p50"},
                                 Statistic{"ttfo", "p95"},
                                 Statistic{"icl", "p50"},
                                 Statistic{"icl", "p95"},
                                 Statistic{"itl", "p50"},
                                 Statistic{"itl", "p95"},
                                 Statistic{"tpot", "p50"},
                                 Statistic{"tpot", "p95"},
                                 Statistic{"tps", "p50"},
                                 Statistic{"chars_per_second", "p50"},
                                 Statistic{"e2e", "p50"},
                                 Statistic{"e2e", "p95"},
                                 Statistic{"output_throughput", ""},
                                 Statistic{"request_throughput", ""}};
using Figures = std::array<Value, kStatistics.size()>;

constexpr double kDecisiveTail = 0.005;
constexpr double kLeastChange = 0.01, kLeastChangeOfP95 = 0.03;

/// Writes the figures of one block, in the order of kStatistics.
class FigureList {
 public:
  void add(Value value) { figures_[next_++] = value; }
  void add_percentiles(std::vector<double> values, std::initializer_list<double> qs) {
    std::ranges::sort(values);
    for (const double q : qs) add(values.empty() ? Value() : quantile(values, q));
  }
  void add_percentiles(std::vector<WeightedSample> samples) {
    std::ranges::sort(samples, {}, &WeightedSample::value);
    const auto total = total_weight(samples);
    for (const double q : {0.5, 0.95}) add(samples.empty() ? Value() : quantile(samples, total, q));
  }
  const Figures& figures() const { return figures_; }

 private:
  Figures figures_{};
  std::size_t next_ = 0;
};

const RequestMetric& request_metric(std::span<const RequestMetric> metrics, std::string_view name) {
  return *std::ranges::find(metrics, name, &RequestMetric::name);
}

Figures figures_of(const RunBlock& block, double tokens_per_event) {
  const auto ok = timed_answers(block.measured);
  const TimeBlocks blocks(ok);
  FigureList list;
  for (const auto* name : {"ttft", "ttft_response", "ttfo"})
    list.add_percentiles(collect(ok, request_metric(metrics_to_first_token(), name)), {0.5, 0.95});
  list.add_percentiles(collect_icl(ok, blocks));
  list.add_percentiles(collect_itl(ok, blocks));
  auto streams = collect_streams(ok, true);
  list.add_percentiles(std::move(streams.tpot), {0.5, 0.95});
  list.add_percentiles(std::move(streams.tps), {0.5});
  list.add_percentiles(collect(ok, metrics_of_text().front()), {0.5});
  list.add_percentiles(collect(ok, metrics_to_end().front()), {0.5, 0.95});
  if (block.window.to_us <= block.window.from_us || block.window.own_share <= 0) return list.figures();
  const auto over = rates(block.arriving, block.window, tokens_per_event);
  list.add(over.output);
  list.add(over.request);
  return list.figures();
}

/// ln(b/a); nothing where one has no such figure or it is 0.
Value log_ratio(const Value& a, const Value& b) {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return std::log(*b / *a);
}

double relative_change(double log_ratio) { return std::expm1(log_ratio); }

/// One target's requests at a point.
struct Side {
  const PointResult& point;
  const Records& measured;
  double tokens_per_event() const { return point.tokens_per_event > 0 ? point.tokens_per_event : 1; }
};

using FigurePairs = std::vector<std::pair<Figures, Figures>>;

FigurePairs figures_by_block(const BlockPairs& blocks, const Side& a, const Side& b) {
  FigurePairs out;
  for (const auto& [of_a, of_b] : blocks)
    out.emplace_back(figures_of(of_a, a.tokens_per_event()), figures_of(of_b, b.tokens_per_event()));
  return out;
}

bool takes_turns(const RunResult& run) {
  return run.target_order == "alternate" || run.target_order == "sequential";
}

std::vector<double> ratios_of(const FigurePairs& blocks, std::size_t i) {
  std::vector<double> out;
  for (const auto& [a, b] : blocks) {
    if (const auto ratio = log_ratio(a[i], b[i])) out.push_back(*ratio);
  }
  return out;
}

/// A row has about nine figures, each of them a chance to be wrong: the 99 % interval decides. Six and seven
/// blocks have none; theirs is the widest that they have, of 97 and 98 %.
bool may_be_none(const std::vector<double>& ratios) {
  const auto change = paired_change(ratios, kDecisiveTail);
  return change.low.value_or(std::ranges::min(ratios)) <= 0 &&
         change.high.value_or(std::ranges::max(ratios)) >= 0;
}

/// What nobody would act upon, however certain it is.
bool too_small(const Difference& difference) {
  return std::abs(*difference.change) < (difference.statistic == "p95" ? kLeastChangeOfP95 : kLeastChange);
}

void judge_change(const std::vector<double>& ratios, Difference& difference) {
  const auto change = paired_change(ratios);
  difference.change = relative_change(change.estimate);
  difference.within_noise = too_small(difference) || may_be_none(ratios);
  if (!change.low || !change.high) return;
  difference.low = relative_change(*change.low);
  difference.high = relative_change(*change.high);
}

Difference difference_at(const Side& of, const Statistic& statistic, std::size_t blocks) {
  Difference out;
  out.point = of.point.point;
  out.target = of.point.target;
  out.metric = statistic.metric;
  out.statistic = statistic.statistic;
  out.blocks = static_cast<std::uint32_t>(blocks);
  return out;
}

/// Errors are no matter of ranks: their shares stand beside each other, without a judgement. In points, since
/// nothing can be told of a ratio to no errors at all.
void add_error_rate(const Side& a, const Side& b, std::vector<Difference>& out) {
  const Threshold error_rate{.text = {}, .metric = "error_rate", .statistic = {}};
  const auto of_a = figure(error_rate, a.point), of_b = figure(error_rate, b.point);
  if (!of_a || !of_b || (*of_a == 0 && *of_b == 0)) return;
  out.push_back(difference_at(b, {"error_rate", ""}, 0));
  out.back().absolute = true;
  out.back().change = *of_b - *of_a;
}

void compare(const RunResult& run, const Side& a, const Side& b, std::vector<Difference>& out) {
  const bool in_turns = takes_turns(run);
  const auto blocks = figures_by_block(
      in_turns ? blocks_in_order(a.measured, b.measured) : blocks_of_time(a.measured, b.measured), a, b);
  const auto whole = figures_by_block({whole_blocks(a.measured, b.measured, in_turns)}, a, b).front();
  for (std::size_t i = 0; i < kStatistics.size(); ++i) {
    if (!log_ratio(whole.first[i], whole.second[i])) continue;
    const auto ratios = ratios_of(blocks, i);
    auto& difference = out.emplace_back(difference_at(b, kStatistics[i], ratios.size()));
    if (ratios.size() >= kFewestBlocks) judge_change(ratios, difference);
  }
  add_error_rate(a, b, out);
}

}  // namespace

std::vector<Difference> find_differences(const RunResult& run, const RunPlaces& places) {
  std::vector<Difference> out;
  if (run.target_order == "pairs") return out;  // its points are the pairs, and the gate's rule judges them
  const auto measured = [&](const PointResult& point) {
    const auto it = places.find({point.point, point.target});
    return it == places.end() ? nullptr : &it->second;
  };
  for (const auto& first : run.points) {
    if (first.target != 0 || !measured(first)) continue;
    for (const auto& other : run.points) {
      if (other.point != first.point || other.target == 0 || !measured(other)) continue;
      compare(run, {first, *measured(first)}, {other, *measured(other)}, out);
    }
  }
  return out;
}

}  // namespace infermeter
