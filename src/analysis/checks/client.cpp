#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/assertions/slo.hpp"
#include "analysis/checks/checks.hpp"
#include "analysis/figures/possible_errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kMostLate = 0.01;
constexpr double kLeastLagMs = 1;          // smaller lags are normal
constexpr double kKernelShareOfGap = 0.5;  // the kernel's stamp is valid if a chunk is read before the next
constexpr double kUserShareOfGap = 0.05;   // the loop's own lateness is the error
constexpr double kMostUnstamped = 0.01;    // above this share, "mixed" is judged like the user clock
constexpr double kBusy = 0.7;              // of the cores available to the workers
constexpr double kStoodStillMs = 100;
constexpr std::size_t kMostNamed = 3;
constexpr double kMostUndecided = 0.02;  // of the requests with SLOs

bool ran_out_of_time(const Facts& facts) { return facts.state.client_cpu_share >= kBusy; }
bool stood_still(const Facts& facts) { return facts.point.client_lag_max_ms >= kStoodStillMs; }

bool judged_by_kernel(const Facts& facts) {
  return facts.state.timestamp_source == TimestampSource::kernel ||
         (facts.state.timestamp_source == TimestampSource::mixed &&
          facts.point.unstamped_share <= kMostUnstamped);
}

/// The p50 and the p95 of these decide whether a run is trusted. Where only the tokens of each event are not
/// known, the ICL has the place of the ITL; where the speed is not, gaps say nothing (a buffer's are 0).
std::vector<std::string_view> trusted_metrics(const PointResult& point) {
  if (!seen_metric(point, "tpot")) return {"ttft", "e2e"};
  return {"ttft", "e2e", seen_metric(point, "itl") ? "itl" : "icl", "tpot"};
}

struct JudgedError {
  double share_of_limit = 0;
  std::string words;
};

std::vector<JudgedError> judged_errors(const PointResult& point) {
  std::vector<JudgedError> out;
  for (const auto metric_name : trusted_metrics(point)) {
    const auto* metric = seen_metric(point, metric_name);
    if (!metric) continue;
    const auto& figure = *find_figure(metric_name);
    for (const double percentile : {50.0, 95.0}) {
      const auto* value = metric->find(percentile);
      const auto* error = point.error_of(metric_name, fmt::format("p{}", percentile));
      if (!value || !error) continue;
      const double limit = allowed_error(figure, value->value);
      out.push_back(
          {error->largest() / limit,
           fmt::format("{}; limit {}", error_words(figure, *error, value->value), milliseconds(limit, 2))});
    }
  }
  return out;
}

/// Nothing where every request is known to have met or missed its SLOs.
std::optional<JudgedError> judged_slos(const Facts& facts) {
  const double share = undecided_share(facts.run.measured, facts.point.load.classes);
  if (share == 0) return std::nullopt;
  return JudgedError{
      share / kMostUndecided,
      fmt::format("of {} of the requests it is not known whether they met their SLOs; limit {}",
                  percent(share), percent(kMostUndecided))};
}

std::string lateness_words(const Facts& facts) {
  std::string text =
      fmt::format(" {} of the events were read late, client lag p99 {} ({}).",
                  percent(facts.point.late_share), milliseconds(facts.point.client_lag_p99_ms, 2),
                  judged_by_kernel(facts) ? "kernel stamps" : "user clock");
  if (facts.state.client_cpu_share > 0)
    text += fmt::format(" The client used {} of its cores.", percent(facts.state.client_cpu_share));
  return text;
}

std::string client_advice(const Facts& facts) {
  const bool by_clock = !judged_by_kernel(facts) && !ran_out_of_time(facts) && !stood_still(facts);
  if (!by_clock) return advice_on_lateness(facts);
  return "Arrivals are known by the client's clock only: measure over TCP with kernel timestamps (no unix "
         "socket, "
         "no --timestamps user).";
}

Check judge_by_errors(const Facts& facts) {
  auto errors = judged_errors(facts.point);
  if (auto slos = judged_slos(facts)) errors.push_back(std::move(*slos));
  std::ranges::stable_sort(errors, std::greater{}, &JudgedError::share_of_limit);
  if (errors.empty())
    return passed(CheckKind::client,
                  "No figure depends on an arrival that is not exact." + lateness_words(facts));
  if (errors.front().share_of_limit <= 1)
    return passed(CheckKind::client,
                  fmt::format("At most, {}.{}", errors.front().words, lateness_words(facts)));
  std::string evidence;
  for (std::size_t i = 0; i < errors.size() && i < kMostNamed && errors[i].share_of_limit > 1; ++i)
    evidence += fmt::format("{}{}", i == 0 ? "" : ". ", errors[i].words);
  return complaint(CheckKind::client, CheckState::failed, evidence + "." + lateness_words(facts),
                   client_advice(facts));
}

// Records of older versions do not tell when an event may have arrived at the earliest.

/// The time in which a chunk must be read; 0 if unknown.
double typical_gap_ms(const PointResult& point) {
  if (const double gap = median_seen(point, "icl"); gap > 0) return gap;
  return metric_median(point, "tpot") * std::max(1.0, point.tokens_per_event);
}

double lag_limit_ms(const Facts& facts) {
  const double gap = typical_gap_ms(facts.point);
  if (gap <= 0) return std::max(kLeastLagMs, kUserShareOfGap * metric_median(facts.point, "e2e"));
  return std::max(kLeastLagMs, gap * (judged_by_kernel(facts) ? kKernelShareOfGap : kUserShareOfGap));
}

std::string client_evidence(const Facts& facts, double limit) {
  std::string text =
      fmt::format("{} of the events read late (limit 1 %), client lag p99 {} (limit {}, {}).",
                  percent(facts.point.late_share), milliseconds(facts.point.client_lag_p99_ms, 2),
                  milliseconds(limit), judged_by_kernel(facts) ? "kernel stamps" : "user clock");
  if (facts.state.client_cpu_share > 0)
    text += fmt::format(" The client used {} of its cores.", percent(facts.state.client_cpu_share));
  return text;
}

Check judge_by_lateness(const Facts& facts) {
  const double limit = lag_limit_ms(facts);
  auto evidence = client_evidence(facts, limit);
  // The lag is known to a quarter of an octave: it is over the limit when its whole bucket is.
  const bool lag_holds = facts.point.client_lag_p99_ms / std::exp2(0.25) < limit;
  const bool late_holds = facts.point.late_share <= kMostLate || !judged_by_kernel(facts);
  if (lag_holds && late_holds) return passed(CheckKind::client, std::move(evidence));
  return complaint(CheckKind::client, CheckState::failed, std::move(evidence), client_advice(facts));
}

}  // namespace

std::string advice_on_lateness(const Facts& facts) {
  if (ran_out_of_time(facts))
    return "The client's threads had no time left: raise --workers if this machine has idle cores, or lower "
           "the load.";
  if (stood_still(facts))
    return fmt::format(
        "The client stood still for up to {}: it was stopped, or other processes took the processor. "
        "Measure again on a machine with idle cores.",
        milliseconds(facts.point.client_lag_max_ms));
  return "The client had to wait for a processor: end other processes on this machine, or measure from one "
         "with idle "
         "cores.";
}

Check check_client(const Facts& facts) {
  std::uint64_t reads = 0;
  for (const auto* record : facts.run.measured) reads += record->lags.total();
  if (reads == 0) return not_applicable(CheckKind::client, "No answer was read.");
  return facts.point.possible_errors ? judge_by_errors(facts) : judge_by_lateness(facts);
}

}  // namespace infermeter
