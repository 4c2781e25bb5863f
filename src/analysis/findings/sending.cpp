// Findings about how the requests were sent: all slots in step, prompts that were sent before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/checks/checks.hpp"
#include "analysis/findings/findings.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/base/units.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

constexpr std::uint32_t kFewestInStep = 4;  // slots
constexpr double kNotableAgain = 0.1;       // share of the answers

std::vector<double> gaps_between_starts(const Records& measured) {
  std::vector<std::int64_t> starts;
  for (const auto* record : measured) {
    if (record->started_us) starts.push_back(*record->started_us);
  }
  std::ranges::sort(starts);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < starts.size(); ++i)
    gaps.push_back(static_cast<double>(starts[i] - starts[i - 1]));
  return gaps;
}

/// The share of the time that the longest gaps between starts fill, one of C: in a wave all slots begin
/// together, and then none until their answers end.
double share_of_pauses(std::vector<double> gaps, double slots) {
  std::ranges::sort(gaps, std::greater{});
  const auto waves = static_cast<std::size_t>(std::llround(static_cast<double>(gaps.size()) / slots));
  double all = 0, pauses = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    all += gaps[i];
    if (i < waves) pauses += gaps[i];
  }
  return all > 0 ? pauses / all : 0;
}

/// Independent slots start at exponential intervals, whose longest share p fills p·(1 − ln p) of the time.
/// Waves are half way from there to a time without any start outside the bursts.
double share_of_waves(double slots) {
  const double independent = (1 + std::log(slots)) / slots;
  return (1 + independent) / 2;
}

std::string spread_of_lengths(const LoadPoint& load) {
  const std::uint32_t tokens = load.output_tokens > 1 ? load.output_tokens : 128;
  return fmt::format("--output-tokens uniform:{},{}", tokens / 2, tokens + tokens / 2);
}

/// Up to the load in half a minute, which is not measured, and a minute there.
std::string ramp_of(const LoadPoint& load) { return fmt::format("30s:{0},60s:{0}", load.concurrency); }

double ttft_ms(const RequestRecord& record) {
  return static_cast<double>(*record.first_token_us - *record.sent_us) / 1e3;
}

bool has_ttft(const RequestRecord& record) {
  return record.outcome == Outcome::ok && record.sent_us && record.first_token_us && record.tries == 1;
}

bool is_own_text(const RequestRecord& record, const LoadPoint& load) {
  const auto* of = class_of(record, load.classes);
  return of && !of->fresh;
}

/// TTFT of the user's own prompts, first turns only: of those that were sent for the first time, in any
/// phase, and of the measured ones that were not.
struct TwoWaits {
  std::vector<double> first, again;
};

TwoWaits waits_of_own_text(const PointResult& point, const RunRecords& run) {
  TwoWaits out;
  for (const auto* record : run.all) {
    if (!has_ttft(*record) || record->turn > 0 || !is_own_text(*record, point.load)) continue;
    if (record->repeat == 0) out.first.push_back(ttft_ms(*record));
    if (record->repeat > 0 && record->phase == Phase::measured) out.again.push_back(ttft_ms(*record));
  }
  return out;
}

std::string compared(TwoWaits waits) {
  if (waits.again.empty()) return {};
  const auto again = milliseconds(median(waits.again));
  if (waits.first.empty()) return fmt::format(" Their TTFT is {} (p50).", again);
  return fmt::format(" Their TTFT is {} (p50); the first time it was {}.", again,
                     milliseconds(median(waits.first)));
}

}  // namespace

std::optional<Finding> find_waves(const PointResult& point, const RunRecords& run) {
  const auto& load = point.load;
  const double slots = load.concurrency;
  if (load.open_loop || load.in_blocks || !load.stages.empty() || load.concurrency < kFewestInStep ||
      run.load_measured.size() < requests_for_steady_rate(load.concurrency))
    return std::nullopt;
  const double share = share_of_pauses(gaps_between_starts(run.load_measured), slots);
  if (share < share_of_waves(slots)) return std::nullopt;
  return Finding{
      "waves",
      fmt::format(
          "All slots run in step: answers end together, so prompts arrive together (no request begins in {} "
          "of the time), and TTFT is that of a burst. Spread the lengths of the answers ({}), or start the "
          "slots one by one (--stages {}).",
          percent(share), spread_of_lengths(load), ramp_of(load))};
}

std::optional<Finding> find_prompts_again(const PointResult& point, const RunRecords& run) {
  std::uint64_t again = 0, counted = 0;
  for (const auto* record : run.ok) {
    if (record->repeat == 0 || !is_own_text(*record, point.load)) continue;
    ++again;
    if (record->cached_tokens) ++counted;
  }
  // The server's own count says how much came from the cache.
  if (counted > 0 || static_cast<double>(again) < kNotableAgain * static_cast<double>(point.ok))
    return std::nullopt;
  const char* ttft = point.load.stream ? "TTFT" : "E2E";
  return Finding{"prompts_again",
                 fmt::format("{} answers are to prompts that this run had sent before, and the server does "
                             "not report cached tokens: its prefix cache may hide the time that a new prompt "
                             "takes, so {} may be that of a warm cache.{} Synthetic prompts are new each "
                             "time; of your own, have at least as many as requests.",
                             part_of(again, point.ok), ttft, compared(waits_of_own_text(point, run)))};
}

}  // namespace infermeter
