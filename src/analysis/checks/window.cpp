#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "analysis/checks/checks.hpp"
#include "analysis/figures/in_flight.hpp"
#include "infermeter/base/units.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

std::string why_no_window(const LoadPoint& load) {
  if (load.in_blocks) return "There is no steady window: the targets took turns.";
  if (load.open_loop) return "There is no steady window: too few requests.";
  return fmt::format("There is no steady window: it takes {} requests, 3 for each of {} in flight.",
                     format_count(requests_for_steady_rate(load.concurrency)),
                     format_count(load.concurrency));
}

Check still_building_up(double window_s, double answer_s) {
  return complaint(
      CheckKind::steady, CheckState::warning,
      fmt::format("Answers take {} s, and the window is {} s long: the load was still building up in it.",
                  format_number(answer_s), format_number(window_s)),
      fmt::format("There is no steady rate. Let the warm-up last as long as an answer (--warmup {}s).",
                  format_number(std::ceil(answer_s), 2)));
}

}  // namespace

Check check_steady(const Facts& facts) {
  if (!facts.steady) return not_applicable(CheckKind::steady, why_no_window(facts.point.load));
  const double seconds = facts.steady->seconds();
  const auto& found = facts.steadiness;
  if (found.too_short) return still_building_up(seconds, found.build_up_s);
  auto evidence = fmt::format("Over {} s, requests in flight changed by {} and TTFT by {} of their means.",
                              format_number(seconds), percent(found.in_flight), percent(found.ttft));
  if (!found.grows) return passed(CheckKind::steady, std::move(evidence));
  return complaint(
      CheckKind::steady, CheckState::warning, std::move(evidence),
      facts.point.load.open_loop
          ? "The queue was still growing: the server does not keep up with this load, and a longer run "
            "would show worse figures. There is no steady rate. Lower the load, or treat the figures as "
            "those "
            "of an overload."
          : "The server was still getting slower: a longer run would show worse figures. There is no steady "
            "rate. Let it run longer, with a longer warm-up.");
}

Check check_in_flight(const Facts& facts, const Window& window) {
  const auto counter = counter_integral_us(facts.run.load, window);
  const auto overlap = overlap_us(facts.run.load, window);
  auto evidence = fmt::format("Requests in flight, counted: {} on average; by their records: {}.",
                              format_number(static_cast<double>(counter) / 1e6 / window.seconds()),
                              format_number(static_cast<double>(overlap) / 1e6 / window.seconds()));
  if (counter == overlap) return passed(CheckKind::in_flight, std::move(evidence));
  return complaint(CheckKind::in_flight, CheckState::warning, std::move(evidence),
                   "Some records end before they start: the records are damaged or from different clocks.");
}

Check check_little(const Facts& facts, const Window& window) {
  const auto law = littles_law(facts.point.load, facts.run.load, window);
  if (!law) return not_applicable(CheckKind::little, "No request started in the steady window.");
  auto evidence = fmt::format("{} in flight against arrival rate x time in system {}: {} apart (limit {}).",
                              format_number(law->in_flight), format_number(law->expected),
                              percent(law->difference), percent(law->tolerance));
  if (law->difference <= law->tolerance) return passed(CheckKind::little, std::move(evidence));
  return complaint(CheckKind::little, CheckState::warning, std::move(evidence),
                   "The load was not in balance over the window: run longer, or read throughput as that of a "
                   "load that grows or drains.");
}

Check check_complete(const Facts& facts) {
  const auto& point = facts.point;
  const bool talks = point.load.conversations;  // then the plan counts conversations
  const auto planned =
      point.load.open_loop && !talks ? std::optional(point.load.scheduled_requests) : point.load.requests;
  const auto cut = static_cast<std::uint64_t>(
      std::ranges::count(facts.run.measured, Outcome::interrupted, &RequestRecord::outcome));
  std::string finished = format_count(talks ? point.conversations : point.requests - cut);
  if (planned && *planned > 0) finished += " of " + format_count(*planned);
  finished += talks ? " conversations finished" : " requests finished";
  if (cut > 0) finished += fmt::format(", {} {}cut off", format_count(cut), talks ? "requests " : "");
  return complaint(
      CheckKind::complete, CheckState::warning, fmt::format("The result is partial: {}.", finished),
      "The run was stopped early, or a shard is missing. Latencies lack the requests that were in "
      "flight then, which are more often slow than fast: to compare results, let the run finish.");
}

}  // namespace infermeter
