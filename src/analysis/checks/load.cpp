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
constexpr double kQueueShareOfE2e = 0.01, kMostQueueOfE2e = 0.05;

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

std::string open_loop_advice(const Facts& facts, std::uint64_t dropped) {
  const auto& point = facts.point;
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
  return advice_on_lateness(facts);
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
                   open_loop_advice(facts, dropped));
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
  const bool failed = share > kMostQueueOfE2e;
  if (failed) evidence += " Over 5 % the load is not the one that was asked for.";
  return complaint(CheckKind::generator, failed ? CheckState::failed : CheckState::warning,
                   std::move(evidence),
                   "Slots were idle in the client between requests. " + advice_on_lateness(facts));
}

}  // namespace infermeter
