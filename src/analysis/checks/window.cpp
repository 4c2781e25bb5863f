#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "analysis/checks/checks.hpp"
#include "analysis/figures/in_flight.hpp"
#include "analysis/statistics/least_squares.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kShortestTrendS = 30;
constexpr double kLeastRise = 0.05;  // of the mean: a smaller rise is not reported, even if it is significant

/// Mean TTFT by start, in ten blocks of the window; nothing if a block is empty.
std::optional<std::array<double, kBlocks>> ttft_blocks(const Records& measured, const Window& window) {
  std::array<double, kBlocks> sums{}, counts{};
  for (const auto* record : measured) {
    if (record->outcome != Outcome::ok) continue;
    if (!window.contains(record->sent_us) || !record->first_token_us) continue;
    const auto block =
        (*record->sent_us - window.from_us - 1) * std::int64_t{kBlocks} / (window.to_us - window.from_us);
    sums[static_cast<std::size_t>(block)] += static_cast<double>(*record->first_token_us - *record->sent_us);
    counts[static_cast<std::size_t>(block)] += 1;
  }
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (counts[b] == 0) return std::nullopt;
    sums[b] /= counts[b] * 1e3;
  }
  return sums;
}

std::array<double, kBlocks> in_flight_blocks(const Records& records, const Window& window) {
  std::array<double, kBlocks> out{};
  for (std::size_t b = 0; b < kBlocks; ++b)
    out[b] = mean_in_flight(records, window.part(static_cast<std::int64_t>(b), kBlocks));
  return out;
}

double relative_rise(const std::array<double, kBlocks>& blocks) {
  double mean = 0;
  for (const double block : blocks) mean += block / kBlocks;
  return mean > 0 ? trend(blocks).rise / mean : 0;
}

bool rises(const std::array<double, kBlocks>& blocks) {
  return trend(blocks).significant && relative_rise(blocks) > kLeastRise;
}

}  // namespace

Check check_steady(const Facts& facts) {
  if (!facts.steady)
    return not_applicable(CheckKind::steady, facts.point.load.in_blocks
                                                 ? "There is no steady window: the targets took turns."
                                                 : "There is no steady window: too few requests.");
  const auto& window = *facts.steady;
  if (window.seconds() < kShortestTrendS)
    return not_applicable(
        CheckKind::steady,
        fmt::format("The window of {} s is too short for a trend (30 s).", format_number(window.seconds())));
  const auto ttft = ttft_blocks(facts.run.load_measured, window);
  if (!ttft) return not_applicable(CheckKind::steady, "Too few answers for a trend of TTFT.");
  const auto in_flight = in_flight_blocks(facts.run.load, window);
  auto evidence = fmt::format("Over {} s, requests in flight changed by {} and TTFT by {} of their means.",
                              format_number(window.seconds()), percent(relative_rise(in_flight)),
                              percent(relative_rise(*ttft)));
  if (!rises(in_flight) || !rises(*ttft)) return passed(CheckKind::steady, std::move(evidence));
  return complaint(
      CheckKind::steady, CheckState::warning, std::move(evidence),
      "The queue was still growing: the server does not keep up with this load, and a longer run "
      "would show worse figures. Lower the load, or treat the figures as those of an overload.");
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
  const auto law = littles_law(facts.run.load, window);
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
