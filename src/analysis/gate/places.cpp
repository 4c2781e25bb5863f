#include "analysis/gate/places.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>

namespace infermeter {

namespace {

constexpr std::size_t kFewestRuns = 6;
constexpr double kLongestRestS = 1800;
constexpr double kRestInRuns = 3;

std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  if (at + digits > text.size()) return std::nullopt;
  const auto* end = text.data() + at + digits;
  const auto result = std::from_chars(text.data() + at, end, value);
  return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

/// Seconds since 1970 of "2026-11-29T12:15:01Z"; fractions are ignored.
std::optional<double> seconds_of(std::string_view utc) {
  const auto year = number_at(utc, 0, 4), month = number_at(utc, 5, 2), day = number_at(utc, 8, 2);
  const auto hour = number_at(utc, 11, 2), minute = number_at(utc, 14, 2), second = number_at(utc, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * *hour + 60.0 * *minute + *second;
}

struct StartedRun {
  double start_s = 0;
  bool candidate = false;
  PlacedRun run;
};

bool add_runs(const PlacedRuns& side, bool candidate, std::vector<StartedRun>& runs) {
  for (const auto& run : side.runs) {
    const auto start = seconds_of(run.result->start_utc);
    if (!start) return false;
    runs.push_back({.start_s = *start, .candidate = candidate, .run = run});
  }
  return true;
}

bool one_machine(const std::vector<StartedRun>& runs) {
  const auto& host = runs.front().run.result->environment.hostname_hash;
  return !host.empty() && std::ranges::all_of(runs, [&](const StartedRun& started) {
    return started.run.result->environment.hostname_hash == host;
  });
}

bool each_its_own_result(const std::vector<StartedRun>& runs) {
  std::set<const RunResult*> results;
  return std::ranges::all_of(
      runs, [&](const StartedRun& started) { return results.insert(started.run.result).second; });
}

double length_s(const RunResult& result) {
  double sum = 0;
  for (const auto& point : result.points) sum += point.whole.window_s;
  return sum;
}

bool one_job(const std::vector<StartedRun>& runs) {
  double longest = 0;
  for (const auto& started : runs) longest = std::max(longest, length_s(*started.run.result));
  const double most = std::max(kLongestRestS, kRestInRuns * longest);
  return std::ranges::adjacent_find(runs, [&](const StartedRun& a, const StartedRun& b) {
           return b.start_s - a.start_s > most;
         }) == runs.end();
}

}  // namespace

LoadId gated_load(const LoadPoint& load) {
  LoadId id = load_id(load);
  if (id.open_loop && id.arrival != Arrival::trace) id.arrival = Arrival::poisson;
  id.cv = 1;
  id.max_in_flight = 0;
  return id;
}

std::vector<PlacedRuns> runs_by_place(std::span<const RunResult> results) {
  std::vector<PlacedRuns> places;
  for (const auto& result : results) {
    for (const auto& point : result.points) {
      const LoadId load = gated_load(point.load);
      auto it = std::ranges::find(places, load, &PlacedRuns::load);
      if (it == places.end()) it = places.insert(places.end(), {.load = load, .runs = {}});
      it->runs.push_back({&result, &point});
    }
  }
  return places;
}

std::vector<GatePair> alternated_pairs(const PlacedRuns& baseline, const PlacedRuns& candidate) {
  std::vector<StartedRun> runs;
  if (baseline.runs.size() != candidate.runs.size() || baseline.runs.size() < kFewestRuns) return {};
  if (!add_runs(baseline, false, runs) || !add_runs(candidate, true, runs)) return {};
  std::ranges::stable_sort(runs, {}, &StartedRun::start_s);
  if (!one_machine(runs) || !each_its_own_result(runs) || !one_job(runs)) return {};
  std::vector<GatePair> pairs;
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const auto &first = runs[i], &second = runs[i + 1];
    if (first.candidate == second.candidate) return {};
    const auto& of_baseline = first.candidate ? second : first;
    const auto& of_candidate = first.candidate ? first : second;
    pairs.push_back({of_baseline.run.point, of_candidate.run.point});
  }
  return pairs;
}

}  // namespace infermeter
