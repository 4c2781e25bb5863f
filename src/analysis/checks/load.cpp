#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/checks/checks.hpp"
#include "analysis/figures/samples.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "analysis/statistics/spread.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kLeastAchieved = 0.99;
constexpr std::size_t kFewestForP99 = 100;  // below this count the p99 is about the largest
constexpr double kLeastLimitMs = 1;         // smaller lags are normal
constexpr double kQueueShareOfTtft = 0.01;
constexpr double kQueueShareOfE2e = 0.01;
constexpr double kMostLate = 0.01;
constexpr double kKernelShareOfGap = 0.5;  // the kernel's stamp is valid if a chunk is read before the next
constexpr double kUserShareOfGap = 0.05;   // the loop's own lateness is the error
constexpr double kMostUnstamped = 0.01;    // above this share, "mixed" is judged like the user clock

/// With fewer than a hundred requests, one request is too large a share to judge by.
bool in_time(double achieved_ratio, std::uint64_t scheduled) {
  const double late = (1 - achieved_ratio) * static_cast<double>(scheduled);
  return achieved_ratio >= kLeastAchieved || std::llround(late) <= 1;
}

std::uint64_t count_dropped(const PointResult& point) {
  const auto it = std::ranges::find(point.outcomes, Outcome::dropped, &OutcomeCount::outcome);
  return it == point.outcomes.end() ? 0 : it->count;
}

/// --on-rate-limit wait: nothing was sent during this time, because the server asked for it.
double waited_for_server_s(const PointResult& point) {
  return point.rate_limits ? point.rate_limits->waited_s : 0;
}

std::string waits_words(double waited_s) {
  return fmt::format(" The {} s that the server asked to wait are in it.", format_number(waited_s));
}

std::string open_loop_advice(const PointResult& point, std::uint64_t dropped) {
  const auto& load = point.load;
  if (dropped > 0)
    return "Raise --max-in-flight or lower --rate: the server does not keep up with this rate.";
  if (waited_for_server_s(point) > 0)
    return "Lower --rate: the server limits it, and what is due while it asks to wait is sent late.";
  if (load.max_in_flight > 0)
    return fmt::format(
        "Requests may have waited for a place among {} in flight: raise --max-in-flight, or lower --rate if "
        "the server does not keep up.",
        load.max_in_flight);
  return "Lower --rate, raise --workers, or measure from a machine with idle cores.";
}

bool judged_by_kernel(const Facts& facts) {
  return facts.state.timestamp_source == TimestampSource::kernel ||
         (facts.state.timestamp_source == TimestampSource::mixed &&
          facts.point.unstamped_share <= kMostUnstamped);
}

/// Where every stream was closed, the median of the closed ones: it is as valid as that of any other.
double median_seen(const PointResult& point, std::string_view name) {
  if (point.ok > 0) return metric_median(point, name);
  const auto it = std::ranges::find(point.slices, SliceKind::cancel, &Slice::by);
  const auto* metric = it == point.slices.end() ? nullptr : it->find(name);
  const auto* p50 = metric ? metric->find(50) : nullptr;
  return p50 ? p50->value : 0;
}

/// The time in which a chunk must be read; 0 if unknown.
double typical_gap_ms(const PointResult& point) {
  if (const double gap = median_seen(point, "icl"); gap > 0) return gap;
  return metric_median(point, "tpot") * std::max(1.0, point.tokens_per_event);
}

double lag_limit_ms(const Facts& facts) {
  const double gap = typical_gap_ms(facts.point);
  if (gap <= 0) return std::max(kLeastLimitMs, kUserShareOfGap * metric_median(facts.point, "e2e"));
  return std::max(kLeastLimitMs, gap * (judged_by_kernel(facts) ? kKernelShareOfGap : kUserShareOfGap));
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

/// Of a figure over the requests; nothing where no request has it.
std::optional<double> mean_of(const Records& records, std::string_view figure) {
  const auto values = values_of(collect(records, *find_figure(figure)));
  return values.empty() ? std::nullopt : std::optional(infermeter::mean_of(values));
}

}  // namespace

Check check_open_loop(const Facts& facts) {
  auto queue = values_of(collect(facts.run.load_measured, *find_figure("client_queue")));
  const auto ratio = facts.point.achieved_ratio;
  if (!ratio) return not_applicable(CheckKind::generator, "No request was scheduled.");
  std::ranges::sort(queue);
  const int percentile = queue.size() < kFewestForP99 ? 95 : 99;
  const double lag = queue.empty() ? 0 : quantile(queue, percentile / 100.0);
  const double ttft = median_seen(facts.point, facts.point.load.stream ? "ttft" : "e2e");
  const double limit = std::max(kLeastLimitMs, kQueueShareOfTtft * ttft);
  const auto dropped = count_dropped(facts.point);
  auto evidence = fmt::format(
      "{} of the schedule sent in time (at least 99 %), {} dropped; client queue p{} {} "
      "(limit {}).",
      percent(*ratio, 3), format_count(dropped), percentile, milliseconds(lag), milliseconds(limit));
  if (const double waited = waited_for_server_s(facts.point); waited > 0) evidence += waits_words(waited);
  const auto scheduled =
      std::max<std::uint64_t>(facts.run.load_measured.size(), facts.point.load.scheduled_requests);
  if (in_time(*ratio, scheduled) && dropped == 0 && lag <= limit)
    return passed(CheckKind::generator, std::move(evidence));
  return complaint(CheckKind::generator, CheckState::failed, std::move(evidence),
                   open_loop_advice(facts.point, dropped));
}

Check check_closed_loop(const Facts& facts) {
  Records ok = facts.run.load_measured;
  std::erase_if(ok, [](const auto* record) { return record->outcome != Outcome::ok; });
  const auto queue = mean_of(ok, "client_queue");
  const auto e2e = mean_of(ok, "e2e");
  if (!queue || !e2e || *e2e <= 0) return not_applicable(CheckKind::generator, "No request ended ok.");
  const double share = *queue / *e2e;
  auto evidence =
      fmt::format("Client queue mean {}, {} of mean E2E (limit 1 %).", milliseconds(*queue), percent(share));
  if (share <= kQueueShareOfE2e) return passed(CheckKind::generator, std::move(evidence));
  if (const double waited = waited_for_server_s(facts.point); waited > 0)
    return not_applicable(CheckKind::generator, evidence + waits_words(waited));
  return complaint(CheckKind::generator, CheckState::warning, std::move(evidence),
                   "Slots were idle in the client between requests: raise --workers, or measure from a "
                   "machine with idle cores.");
}

Check check_client(const Facts& facts) {
  std::uint64_t reads = 0;
  for (const auto* record : facts.run.measured) reads += record->lags.total();
  if (reads == 0) return not_applicable(CheckKind::client, "No answer was read.");
  const double limit = lag_limit_ms(facts);
  auto evidence = client_evidence(facts, limit);
  // The lag is known to a quarter of an octave: it is over the limit when its whole bucket is.
  const bool lag_holds = facts.point.client_lag_p99_ms / std::exp2(0.25) < limit;
  const bool late_holds = facts.point.late_share <= kMostLate || !judged_by_kernel(facts);
  if (lag_holds && late_holds) return passed(CheckKind::client, std::move(evidence));
  return complaint(
      CheckKind::client, CheckState::failed, std::move(evidence),
      "This machine was too slow for the load: raise --workers, lower the load, or measure from a "
      "machine with idle cores.");
}

}  // namespace infermeter
