#include "analysis/compare/compared.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {
namespace {

bool is_known(const Figure& figure, const Estimate& of, const PointResult& point) {
  if (!of.value) return false;
  // A rate of 0: no such answers were requested, or none came.
  if (figure.name.ends_with("_throughput") && *of.value <= 0) return false;
  return figure.unit == FigureUnit::share || figure.unit == FigureUnit::money || point.has_figures();
}

/// The speed of its streams is not known, and it says why.
bool leaves_out(const Figure& figure, const PointResult& point) {
  const auto& checks = point.validity.checks;
  const auto check = std::ranges::find(checks, CheckKind::speed, &Check::kind);
  return figure.of_speed && check != checks.end() && check->state == CheckState::warning;
}

/// A cost by tokens is counted exactly: the change alone decides.
void take_as_counted(const Figure& figure, Estimate& of) {
  if (figure.unit == FigureUnit::money && !of.low && !of.high) of.low = of.high = of.value;
}

Estimate compared_estimate(const ComparedFigure& compared, const FigurePlace& place) {
  auto out = estimate(compared.figure, compared.statistic, place);
  if (!is_known(compared.figure, out, place.figures())) return {};
  const auto& cost = place.figures().cost;
  if (cost && cost->source != "per_hour") take_as_counted(compared.figure, out);
  return out;
}

/// The number of independent requests that would have the spread between the runs.
double worth_by_run(double share, const std::vector<Estimate>& runs) {
  const auto by_run = pool(runs, Scale::points);
  const double half = *by_run->high - *by_run->value;
  return half > 0 ? share * (1 - share) * std::pow(kNormal / half, 2) : HUGE_VAL;
}

/// Of all requests of the runs: errors are so rare that a few runs may agree by chance, and errors within one
/// run are so correlated that its requests are worth fewer than their number.
Estimate pooled_errors(std::span<const FigurePlace> runs, const std::vector<Estimate>& each) {
  double errors = 0, requests = 0, worth = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& point = runs[i].figures();
    const double own = static_cast<double>(point.requests);
    errors += *each[i].value * own;
    requests += own;
    worth += point.errors ? point.errors->n_eff : own;
  }
  const double share = errors / requests;
  const auto bounds = wilson_share(share, std::min(worth, worth_by_run(share, each)));
  return {.value = share,
          .low = bounds.low,
          .high = bounds.high,
          .samples = static_cast<std::uint64_t>(requests),
          .why_not = {}};
}

constexpr double kLengthsAlike = 0.05;  // lengths within it are the same (docs/metrics.md, check "lengths")

std::string text_of(std::uint64_t number) { return number == 0 ? "" : std::to_string(number); }

/// Of all targets in order: "a: x, b: y"; one value where they agree.
template <typename Of>
std::string of_targets(const RunResult& run, Of of) {
  std::set<std::string> distinct;
  std::string text;
  for (const auto& target : run.targets) {
    distinct.insert(of(target));
    text += (text.empty() ? "" : ", ") + (target.name.empty() ? "" : target.name + ": ") + of(target);
  }
  return distinct.size() == 1 ? *distinct.begin() : text;
}

std::string server_of(const TargetFacts& target) {
  const std::string name = target.engine.empty() ? target.server_header : target.engine;
  return name + (name.empty() || target.version.empty() ? "" : " ") + target.version;
}

std::string tool_of(const NamedResult& result) {
  if (!result.source.empty()) return result.source;
  return result.run->tool_version.empty() ? "" : "infermeter " + result.run->tool_version;
}

std::string stamps_of(const RunResult& run) {
  const auto of_target =
      of_targets(run, [](const TargetFacts& target) { return std::string(name(target.timestamp_source)); });
  return of_target.empty() ? std::string(name(run.environment.timestamp_source)) : of_target;
}

/// At least two of the known values differ.
bool differ(const std::vector<std::string>& values) {
  std::set<std::string> known(values.begin(), values.end());
  known.erase("");
  return known.size() > 1;
}

class Facts {
 public:
  explicit Facts(std::span<const NamedResult> results) : results_(results) {}

  template <typename Of>
  void add(std::string name, Of of) {
    ComparedFact fact{std::move(name), {}};
    for (const auto& result : results_) fact.values.push_back(of(result));
    if (differ(fact.values)) out_.push_back(std::move(fact));
  }
  /// Numbers that differ; 0: not known.
  template <typename Of>
  void add_mean(std::string name, Of of) {
    ComparedFact fact{std::move(name), {}};
    double least = 0, most = 0;
    for (const auto& result : results_) {
      const double value = of(*result.run);
      if (value > 0 && (least == 0 || value < least)) least = value;
      most = std::max(most, value);
      fact.values.push_back(text_of(static_cast<std::uint64_t>(std::llround(value))));
    }
    if (most > least * (1 + kLengthsAlike)) out_.push_back(std::move(fact));
  }
  std::vector<ComparedFact> take() { return std::move(out_); }

 private:
  std::span<const NamedResult> results_;
  std::vector<ComparedFact> out_;
};

/// A sum over all points, per good answer.
double mean_of(const RunResult& run, std::uint64_t PointResult::* sum) {
  double total = 0, answers = 0;
  for (const auto& point : run.points) {
    total += static_cast<double>(point.*sum);
    answers += static_cast<double>(point.ok);
  }
  return answers > 0 ? total / answers : 0;
}

template <Named E>
std::string of_points(const RunResult& run, std::optional<E> PointResult::* member) {
  std::optional<E> all;
  for (const auto& point : run.points) join(all, point.*member);
  return std::string(name(all));
}

}  // namespace

std::vector<ComparedFigure> figures_to_compare(std::span<const FigurePlace> places, bool models_differ) {
  std::vector<ComparedFigure> out;
  for (const auto& [figure, at] : shown_figures(FigureOutput::compare)) {
    const ComparedFigure compared{*figure, at.statistic};
    const bool shown = std::ranges::any_of(places, [&](const FigurePlace& place) {
      return tells_more(compared.figure, place.figures(), models_differ) &&
             (compared_estimate(compared, place).value || leaves_out(compared.figure, place.figures()));
    });
    if (shown) out.push_back(compared);
  }
  return out;
}

std::vector<Estimate> estimates(const ComparedFigure& compared, std::span<const FigurePlace> runs) {
  std::vector<Estimate> out;
  for (const auto& run : runs) {
    auto one = compared_estimate(compared, run);
    if (one.value) out.push_back(std::move(one));
  }
  if (compared.figure.name == "error_rate" && out.size() > 1) return {pooled_errors(runs, out)};
  return out;
}

std::string why_none(const ComparedFigure& compared, std::span<const FigurePlace> runs) {
  for (const auto& run : runs) {
    const auto none = estimate(compared.figure, compared.statistic, run);
    if (!none.value) return none.why_not;
  }
  return {};
}

std::vector<ComparedFact> surroundings_that_differ(std::span<const NamedResult> results) {
  Facts facts(results);
  const auto here = [](auto of) { return [of](const NamedResult& r) { return of(r.run->environment); }; };
  facts.add("model", [](const NamedResult& r) {
    return of_targets(*r.run, [](const TargetFacts& target) { return target.model; });
  });
  facts.add("server", [](const NamedResult& r) { return of_targets(*r.run, server_of); });
  facts.add("region", [](const NamedResult& r) {
    return of_targets(*r.run, [](const TargetFacts& target) { return target.region; });
  });
  facts.add("GPUs", [](const NamedResult& r) {
    return of_targets(*r.run, [](const TargetFacts& target) { return text_of(target.gpus); });
  });
  facts.add("host", here([](const Environment& e) { return e.hostname_hash; }));
  facts.add("CPU", here([](const Environment& e) { return e.cpu; }));
  facts.add("cores", here([](const Environment& e) { return text_of(e.cores); }));
  facts.add("kernel", here([](const Environment& e) { return e.kernel; }));
  facts.add("system", here([](const Environment& e) { return e.os; }));
  facts.add("governor", here([](const Environment& e) { return e.governor; }));
  facts.add("tool", tool_of);
  facts.add("build", here([](const Environment& e) { return e.build_type; }));
  facts.add("time stamps", [](const NamedResult& r) { return stamps_of(*r.run); });
  return facts.take();
}

std::vector<ComparedFact> traffic_that_differs(std::span<const NamedResult> results) {
  Facts facts(results);
  facts.add("part of the run", [](const NamedResult& r) {
    const Shard shard = r.run->shard;
    return shard.whole() ? std::string("all")
                         : "shard " + std::to_string(shard.rank) + " of " + std::to_string(shard.of);
  });
  facts.add_mean("prompt tokens",
                 [](const RunResult& run) { return mean_of(run, &PointResult::prompt_tokens); });
  facts.add_mean("answer tokens",
                 [](const RunResult& run) { return mean_of(run, &PointResult::output_tokens); });
  facts.add("token counts",
            [](const NamedResult& r) { return of_points(*r.run, &PointResult::token_source); });
  facts.add("reasoning", [](const NamedResult& r) { return of_points(*r.run, &PointResult::reasoning); });
  return facts.take();
}

}  // namespace infermeter
