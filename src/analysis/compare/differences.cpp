#include "analysis/compare/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "analysis/figures/samples.hpp"
#include "analysis/figures/throughput.hpp"
#include "analysis/runs/run_blocks.hpp"
#include "analysis/statistics/pairs.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

using Value = std::optional<double>;

using Values = std::vector<Value>;  // one per compared figure

constexpr double kDecisiveTail = 0.005;
constexpr double kLeastChange = 0.01, kLeastChangeOfP95 = 0.03;

const std::vector<ShownFigure>& compared() {
  static const auto figures = shown_figures(FigureOutput::differences);
  return figures;
}

/// The samples of one block, sorted: once per figure, whatever its statistics.
class BlockSamples {
 public:
  explicit BlockSamples(const Records& ok) : ok_(ok), blocks_(ok) {
    for (const auto& [figure, at] : compared()) {
      if (figure->of_request && std::ranges::find(figures_, figure) == figures_.end())
        figures_.push_back(figure);
    }
    for (auto& samples : collect(ok, figures_, {})) {
      auto& values = values_.emplace_back(values_of(samples));
      std::ranges::sort(values);
    }
  }

  Value quantile(const Figure& figure, double q) {
    if (figure.has_gaps()) return of_gaps(figure, q);
    const auto& values =
        values_[static_cast<std::size_t>(std::ranges::find(figures_, &figure) - figures_.begin())];
    return values.empty() ? Value() : infermeter::quantile(values, q);
  }

 private:
  Value of_gaps(const Figure& figure, double q) {
    if (last_ != &figure) {
      gaps_ = collect_gaps(ok_, figure, blocks_);
      std::ranges::sort(gaps_, {}, &WeightedSample::value);
      last_ = &figure;
    }
    return gaps_.empty() ? Value() : infermeter::quantile(gaps_, total_weight(gaps_), q);
  }

  const Records& ok_;
  TimeBlocks blocks_;
  std::vector<const Figure*> figures_;
  std::vector<std::vector<double>> values_;
  const Figure* last_ = nullptr;
  std::vector<WeightedSample> gaps_;
};

Values values_of_block(const RunBlock& block, double tokens_per_event) {
  const auto ok = timed_answers(block.measured);
  BlockSamples samples(ok);
  PointResult as_point;  // whose rates are the block's
  if (block.window.to_us > block.window.from_us && block.window.own_share > 0)
    as_point.whole = rates(block.arriving, block.window, tokens_per_event);
  Values out;
  for (const auto& [figure, at] : compared()) {
    const auto percentile = percentile_of(at.statistic);
    out.push_back(percentile ? samples.quantile(*figure, *percentile / 100)
                             : estimate_of(as_point, *figure).value);
  }
  return out;
}

/// ln(b/a); nothing where either lacks the figure or it is 0.
Value log_ratio(const Value& a, const Value& b) {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return std::log(*b / *a);
}

double relative_change(double log_ratio) { return std::expm1(log_ratio); }

double per_event(const PointResult& point) { return point.tokens_per_event > 0 ? point.tokens_per_event : 1; }

using ValuePairs = std::vector<std::pair<Values, Values>>;

ValuePairs values_by_block(const BlockPairs& blocks, const MeasuredTarget& a, const MeasuredTarget& b) {
  ValuePairs out;
  for (const auto& [of_a, of_b] : blocks)
    out.emplace_back(values_of_block(of_a, per_event(a.point)), values_of_block(of_b, per_event(b.point)));
  return out;
}

bool alternates(const RunResult& run) {
  return run.target_order == TargetOrder::alternate || run.target_order == TargetOrder::sequential;
}

std::vector<double> ratios_of(const ValuePairs& blocks, std::size_t i) {
  std::vector<double> out;
  for (const auto& [a, b] : blocks) {
    if (const auto ratio = log_ratio(a[i], b[i])) out.push_back(*ratio);
  }
  return out;
}

/// A row has about nine figures, and each may be wrong by chance, so the 99 % interval decides. Six and seven
/// blocks have no such interval; the widest that they have is used, of 97 and 98 %.
bool may_be_none(const std::vector<double>& ratios) {
  const auto change = paired_change(ratios, kDecisiveTail);
  return change.low.value_or(std::ranges::min(ratios)) <= 0 &&
         change.high.value_or(std::ranges::max(ratios)) >= 0;
}

/// A change that is too small to act on, however certain it is.
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

Difference difference_at(const MeasuredTarget& of, const Figure& figure, std::string_view statistic,
                         std::size_t blocks) {
  Difference out;
  out.point = of.point.point;
  out.target = of.point.target;
  out.metric = figure.name;
  out.statistic = statistic;
  out.blocks = static_cast<std::uint32_t>(blocks);
  return out;
}

/// Errors are not compared by ranks: their shares stand side by side, without a judgement. The change is in
/// points, since a ratio to zero errors is undefined.
void add_error_rate(const MeasuredTarget& a, const MeasuredTarget& b, std::vector<Difference>& out) {
  const auto& error_rate = *find_figure("error_rate");
  const auto of_a = estimate_of(a.point, error_rate).value, of_b = estimate_of(b.point, error_rate).value;
  if (!of_a || !of_b || (*of_a == 0 && *of_b == 0)) return;
  out.push_back(difference_at(b, error_rate, {}, 0));
  out.back().absolute = true;
  out.back().change = *of_b - *of_a;
}

/// What a run `times` as long has, in what ends it: requests, else seconds; in two digits. Empty where it
/// ends by neither.
std::string length_words(const LoadPoint& load, double times) {
  const auto rounded = [times](double value) {
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value * times)) - 1));
    return static_cast<std::uint64_t>(std::ceil(value * times / unit) * unit);
  };
  if (load.requests)
    return fmt::format("about {} {} a target", format_count(rounded(static_cast<double>(*load.requests))),
                       load.conversations ? "conversations" : "requests");
  return load.duration_s ? fmt::format("about {} s", format_count(rounded(*load.duration_s))) : std::string();
}

bool has_too_few_blocks(const Difference& difference) {
  return !difference.absolute && difference.blocks < kFewestBlocks;
}

}  // namespace

std::vector<Difference> differences_between(const RunResult& run, const MeasuredTarget& a,
                                            const MeasuredTarget& b) {
  std::vector<Difference> out;
  const bool alternating = alternates(run);
  const auto blocks = values_by_block(
      alternating ? blocks_in_order(a.measured, b.measured) : blocks_of_time(a.measured, b.measured), a, b);
  const auto whole = values_by_block({whole_blocks(a.measured, b.measured, alternating)}, a, b).front();
  for (std::size_t i = 0; i < compared().size(); ++i) {
    if (!log_ratio(whole.first[i], whole.second[i])) continue;
    const auto ratios = ratios_of(blocks, i);
    auto& difference =
        out.emplace_back(difference_at(b, *compared()[i].figure, compared()[i].at.statistic, ratios.size()));
    if (ratios.size() >= kFewestBlocks) judge_change(ratios, difference);
  }
  add_error_rate(a, b, out);
  return out;
}

std::vector<Difference> find_differences(const RunResult& run, const RunPlaces& places) {
  std::vector<Difference> out;
  if (run.target_order == TargetOrder::pairs)
    return out;  // its points are the pairs, which the gate's rule judges
  const auto measured = [&](const PointResult& point) {
    const auto it = places.find({point.point, point.target});
    return it == places.end() ? nullptr : &it->second;
  };
  for (const auto& first : run.points) {
    if (first.target != run.against || !measured(first)) continue;
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    double times = 1;  // all targets have one length: that which the slowest needs
    for (const auto& other : run.points) {
      if (other.point != first.point || other.target == run.against || !measured(other)) continue;
      auto all = differences_between(run, {first, *measured(first)}, {other, *measured(other)});
      if (std::ranges::any_of(all, has_too_few_blocks))
        times = std::max(times, times_as_long(*measured(first), *measured(other), alternates(run)));
      std::ranges::move(all, std::back_inserter(out));
    }
    for (auto it = out.begin() + begin; it != out.end(); ++it) {
      if (has_too_few_blocks(*it) && times > 1) it->needed = length_words(first.load, times);
    }
  }
  return out;
}

}  // namespace infermeter
