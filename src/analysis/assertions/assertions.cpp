#include "infermeter/analysis/assertions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/assertions/places.hpp"
#include "analysis/figures/percentile_needs.hpp"
#include "analysis/figures/possible_errors.hpp"
#include "analysis/gate/verdict.hpp"
#include "analysis/statistics/intervals.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

namespace {

constexpr double kPower = 1.28;  // the normal distribution's 90 %

double there_were(const AssertionPlace& place) { return static_cast<double>(place.measured.size()); }

/// Rounded up to one digit, and more than the run had: fewer were not enough this time.
double in_one_digit(double needed, double had) {
  const auto rounded = [](double value, double (*round)(double)) {
    const double scale = std::pow(10, std::floor(std::log10(value)));
    return round(value / scale) * scale;
  };
  const double nearest = rounded(std::max(needed, 1.0), [](double v) { return std::round(v); });
  if (nearest > had) return nearest;
  return rounded(had + 1, [](double v) { return std::ceil(v); });
}

std::string about(double needed, const AssertionPlace& place) {
  const double shown = in_one_digit(needed, there_were(place));
  return fmt::format("about {} requests", format_count(static_cast<std::uint64_t>(shown)));
}

/// The half width shrinks with the square root of the requests.
std::string by_width(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place) {
  const bool below = *figure.value < assertion.limit;
  const auto& facing = below ? figure.high : figure.low;
  const auto& other = below ? figure.low : figure.high;
  if (!facing && !other) return {};
  const double half = std::abs(facing.value_or(*other) - *figure.value) * (1 + kPower / kNormal);
  const double needed = there_were(place) * std::pow(half / std::abs(assertion.limit - *figure.value), 2);
  if (needed <= largest_forecast(there_were(place))) return about(needed, place);
  return more_than_largest(assertion.statistic == "mean" ? "mean" : "percentile", there_were(place));
}

bool has_gaps(const Records& answers) {
  return std::ranges::any_of(answers, [](const auto* record) { return !record->gaps_us.empty(); });
}

/// Ten blocks of time that each last as long as an answer. Records without gaps (--no-save-gaps) do not allow
/// an interval, however long the run.
std::string by_length(const AssertionPlace& place) {
  const auto* e2e = place.figures().find("e2e");
  if (!e2e || !has_gaps(place.answers)) return {};
  return fmt::format("a run of at least {} s", format_number(std::ceil(kBlocks * e2e->mean / 1e3), 2));
}

/// How many requests would settle an assertion that its interval leaves open (METHOD: planned once, at 90 %
/// power), in words with one digit: "about 2,000 requests". A figure that lies at its limit is reported as
/// one that no number of requests would settle. Empty where no estimate is possible. The figure must have a
/// value.
std::string requests_needed(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place) {
  const auto& known = *find_figure(assertion.metric);
  if (const auto percentile = percentile_of(assertion.statistic); percentile && !known.has_gaps()) {
    if (const auto samples = percentile_samples(known, place))
      return requests_to_settle(*samples, {*percentile / 100, assertion.limit, known.low_tail},
                                there_were(place));
  }
  if (known.has_gaps() && !figure.low && !figure.high) return by_length(place);
  return by_width(assertion, figure, place);
}

std::string with_statistic(std::string_view metric, const std::string& statistic) {
  return statistic.empty() ? std::string(metric) : fmt::format("{}.{}", metric, statistic);
}

/// A latency from sending leaves out the time for which a user of an open loop waits before it.
std::string of_the_wait(const Threshold& assertion) {
  return fmt::format("{} counts from the time of sending; {} includes the schedule delay.",
                     with_statistic(assertion.metric, assertion.statistic),
                     with_statistic(find_figure(assertion.metric)->response, assertion.statistic));
}

/// For a rate the 95th percentile is the fast end, which few people mean.
std::string of_the_fast_end(const Threshold& assertion, double percentile) {
  return fmt::format("{} is the fast end: {:.6g} % are slower. The slow end is {}.p{:.6g}.",
                     with_statistic(assertion.metric, assertion.statistic), percentile, assertion.metric,
                     100 - percentile);
}

std::string at(const AssertionPlace& place) {
  const std::string where = name(place.where);
  return where.empty() ? "The run" : fmt::format("The run at {}", where);
}

/// Notes beside the judgements, each once.
class AssertionNotes {
 public:
  explicit AssertionNotes(bool by_point);
  /// An assertion that is judged at this place.
  void look_at(const Threshold& assertion, const AssertionPlace& place);
  void add(std::string note);
  const std::vector<std::string>& all() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

AssertionNotes::AssertionNotes(bool by_point) {
  if (by_point) add("Decided by the values, not by their intervals (--assert-point).");
}

void AssertionNotes::look_at(const Threshold& assertion, const AssertionPlace& place) {
  const bool from_sending = !find_figure(assertion.metric)->response.empty();
  if (from_sending && place.point->load.open_loop) add(of_the_wait(assertion));
  const auto percentile = percentile_of(assertion.statistic);
  if (percentile && *percentile > 50 && find_figure(assertion.metric)->low_tail)
    add(of_the_fast_end(assertion, *percentile));
  const auto& validity = place.point->validity;
  if (validity.partial) add(at(place) + " is partial: judged by the requests that finished.");
  if (!validity.trustworthy) add(at(place) + " is not to be trusted: exit code 4, whatever its figures are.");
}

void AssertionNotes::add(std::string note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

std::string with_unit(double value, const std::string& unit) {
  if (unit == name(FigureUnit::share)) return format_number(100 * value) + " %";
  if (unit == name(FigureUnit::money)) return unit + format_number(value);
  return format_number(value) + (unit == name(FigureUnit::count) ? "" : " " + unit);
}

/// Where the server does not count tokens, a token rate counts events.
std::string unit_of(const Figure& figure, const PointResult& point) {
  const auto* metric = figure.is_distribution() ? find_distribution(point, figure) : nullptr;
  return metric ? metric->unit : std::string(name(figure.unit));
}

/// A percentile or mean of a distribution varies from run to run, so its interval decides. Other figures (a
/// share, rate, count or extreme) are facts of this run.
bool is_sampled(const Threshold& assertion) {
  return find_figure(assertion.metric)->is_distribution() && assertion.statistic != "min" &&
         assertion.statistic != "max";
}

/// An assertion holds when the bound on the limit's side meets it, and is broken when the other bound does
/// not. A missing bound decides nothing.
Decision by_interval(const Threshold& assertion, double limit, const Estimate& figure) {
  const bool upper = is_upper(assertion.comparison);
  const auto& worst = upper ? figure.high : figure.low;
  const auto& best = upper ? figure.low : figure.high;
  if (best && !holds(*best, assertion.comparison, limit)) return Decision::fail;
  if (worst && holds(*worst, assertion.comparison, limit)) return Decision::pass;
  return Decision::undecided;
}

std::string why_open(const Threshold& assertion, const Estimate& figure, const std::string& unit) {
  if (figure.low && figure.high)
    return fmt::format("Its 95 % interval, {} to {}, contains the limit.", format_number(*figure.low),
                       with_unit(*figure.high, unit));
  if (!figure.low && !figure.high) return "Too few requests for a 95 % interval.";
  return fmt::format("Too few requests for {} bound.",
                     is_upper(assertion.comparison) ? "an upper" : "a lower");
}

void decide_by_interval(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place,
                        Judgement& out) {
  out.by_interval = true;
  out.decision = by_interval(assertion, *out.limit, figure);
  if (out.decision != Decision::undecided) return;
  out.reason = why_open(assertion, figure, out.unit);
  out.needed = requests_needed(assertion, figure, place);
}

std::string other_name(const Threshold& assertion) {
  return assertion.of_statistic.empty() ? assertion.of_metric
                                        : fmt::format("{}.{}", assertion.of_metric, assertion.of_statistic);
}

bool is_rate(const Figure& figure) {
  return figure.level == FigureLevel::point &&
         (figure.unit == FigureUnit::tokens_per_second || figure.unit == FigureUnit::requests_per_second ||
          figure.unit == FigureUnit::vectors_per_second);
}

/// The ramp and the drain are in the rate of a run without a steady window.
void leave_open(const PointResult& point, Judgement& out) {
  const auto fewest = point.requests_for_steady_rate();
  if (point.requests < fewest) {
    out.reason = fmt::format("There is no steady rate: {} requests, and it takes 3 for each of {} in flight.",
                             format_count(point.requests), format_count(own_part(point.load).concurrency));
    out.needed = fmt::format("{} requests (-n 3x)", format_count(fewest));
    return;
  }
  out.reason = "There is no steady rate: see the check `steady`.";
}

void decide(const Threshold& assertion, const AssertionPlace& place, bool by_point, Judgement& out) {
  const auto& known = *find_figure(assertion.metric);
  const auto figure = estimate(known, assertion.statistic, place);
  out.unit = unit_of(known, place.figures());
  out.value = figure.value;
  out.low = figure.low;
  out.high = figure.high;
  if (assertion.of_metric.empty()) out.limit = assertion.limit;
  if (!figure.value) {
    out.reason = figure.why_not;
    return;
  }
  if (!assertion.of_metric.empty()) {
    const auto& of = *find_figure(assertion.of_metric);
    const auto other = estimate(of, assertion.of_statistic, place);
    if (!other.value) {
      out.reason = other.why_not;
      return;
    }
    out.limit = assertion.limit * *other.value;
    out.limit_follows = true;
    out.reason = fmt::format("{} is {}.", other_name(assertion),
                             with_unit(*other.value, unit_of(of, place.figures())));
  }
  // Two rates of one window have the same ramp and drain.
  if (is_rate(known) && assertion.of_metric.empty() && !place.point->has_steady_rate())
    return leave_open(*place.point, out);
  if (is_sampled(assertion) && !by_point && assertion.of_metric.empty())
    return decide_by_interval(assertion, figure, place, out);
  out.decision = holds(*figure.value, assertion.comparison, *out.limit) ? Decision::pass : Decision::fail;
}

Judgement judge(const Threshold& assertion, const AssertionPlace& place, bool by_point) {
  Judgement out;
  out.kind = JudgementKind::assertion;
  out.decision = Decision::undecided;
  out.text = assertion.text;
  out.where = name(place.where);
  out.point = place.point->point;
  out.target = place.point->target;
  decide(assertion, place, by_point, out);
  return out;
}

bool is_decided_alike(const Threshold& assertion, const Judgement& judged, const PossibleError& error) {
  const bool upper = is_upper(assertion.comparison), passed = judged.decision == Decision::pass;
  if (judged.decision == Decision::undecided) return true;
  const double decisive =
      judged.by_interval ? *((upper == passed) ? judged.high : judged.low) : *judged.value;
  const double moved = (upper == passed) ? decisive + error.more : decisive - error.less;
  return holds(moved, assertion.comparison, *judged.limit) == passed;
}

/// A sentence where uncertain arrivals may have decided it; else empty.
std::string doubt_of(const Threshold& assertion, const AssertionPlace& place, const Judgement& judged) {
  const auto& figure = *find_figure(assertion.metric);
  if (!judged.value || !judged.limit || !figure.is_distribution() || place.answers.empty()) return {};
  const auto error = possible_error(figure, assertion.statistic, place.answers, place.rules());
  const double limit = allowed_error(figure, *judged.value);
  if (!error || error->largest() <= limit || is_decided_alike(assertion, judged, *error)) return {};
  return fmt::format("{}: {}; limit {}. It is not to be trusted.", assertion.text,
                     error_words(figure, *error, *judged.value), with_unit(limit, judged.unit));
}

/// The first part of its scope that matches no point, with the values that exist.
std::string why_nowhere(const Threshold& assertion, const RunResult& run) {
  if (run.points.empty()) return "Nothing was measured.";
  for (const auto& part : assertion.scope) {
    Threshold alone;
    alone.scope = {part};
    if (!places_of(alone, run, {}).empty()) continue;
    const auto known = known_places(run, part.first);
    return known.empty() ? fmt::format("No point of this run has a {}.", part.first)
                         : fmt::format("No point has {} {}; there is {}.", part.first, part.second, known);
  }
  return "No point matches its scope.";
}

Judgement judge_nowhere(const Threshold& assertion, const RunResult& run) {
  Judgement out;
  out.kind = JudgementKind::assertion;
  out.decision = Decision::undecided;
  out.text = assertion.text;
  out.unit = name(find_figure(assertion.metric)->unit);
  if (assertion.of_metric.empty()) out.limit = assertion.limit;
  out.reason = why_nowhere(assertion, run);
  return out;
}

}  // namespace

Verdict judge_assertions(const RunResult& run, std::span<const RequestRecord> records,
                         std::span<const Threshold> asserts, bool by_point) {
  Verdict out;
  out.basis = Basis::assertions;
  AssertionNotes notes(by_point);
  const auto by_place = place_all(records);
  for (const auto& assertion : asserts) {
    const auto places = places_of(assertion, run, by_place);
    if (places.empty()) out.judgements.push_back(judge_nowhere(assertion, run));
    for (const auto& place : places) {
      out.judgements.push_back(judge(assertion, place, by_point));
      const std::string doubt = doubt_of(assertion, place, out.judgements.back());
      if (!doubt.empty()) notes.add(doubt);
      out.trustworthy = out.trustworthy && place.point->validity.trustworthy && doubt.empty();
      notes.look_at(assertion, place);
    }
  }
  if (!out.judgements.empty()) conclude_verdict(out);
  out.notes = notes.all();
  return out;
}

}  // namespace infermeter
