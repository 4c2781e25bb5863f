#include "analysis/gate/turns.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>

namespace infermeter {

namespace {

constexpr std::size_t kFewestTurns = 6;
constexpr double kLongestRestS = 1800;
constexpr double kRestInRuns = 3;

std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  if (at + digits > text.size()) return std::nullopt;
  const auto* end = text.data() + at + digits;
  const auto result = std::from_chars(text.data() + at, end, value);
  return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

/// Seconds since 1970 of "2026-11-29T12:15:01Z"; fractions are no matter here.
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

struct Turn {
  double start_s = 0;
  bool candidate = false;
  PlacedRun run;
};

bool add_turns(const PlacedRuns& side, bool candidate, std::vector<Turn>& turns) {
  for (const auto& run : side.runs) {
    const auto start = seconds_of(run.result->start_utc);
    if (!start) return false;
    turns.push_back({.start_s = *start, .candidate = candidate, .run = run});
  }
  return true;
}

bool one_machine(const std::vector<Turn>& turns) {
  const auto& host = turns.front().run.result->environment.hostname_hash;
  return !host.empty() && std::ranges::all_of(turns, [&](const Turn& turn) {
    return turn.run.result->environment.hostname_hash == host;
  });
}

bool each_its_own_result(const std::vector<Turn>& turns) {
  std::set<const RunResult*> results;
  return std::ranges::all_of(turns, [&](const Turn& turn) { return results.insert(turn.run.result).second; });
}

double length_s(const RunResult& result) {
  double sum = 0;
  for (const auto& point : result.points) sum += point.whole.window_s;
  return sum;
}

bool one_job(const std::vector<Turn>& turns) {
  double longest = 0;
  for (const auto& turn : turns) longest = std::max(longest, length_s(*turn.run.result));
  const double most = std::max(kLongestRestS, kRestInRuns * longest);
  return std::ranges::adjacent_find(turns, [&](const Turn& a, const Turn& b) {
           return b.start_s - a.start_s > most;
         }) == turns.end();
}

}  // namespace

std::vector<GatePair> pairs_in_turn(const PlacedRuns& baseline, const PlacedRuns& candidate) {
  std::vector<Turn> turns;
  if (baseline.runs.size() != candidate.runs.size() || baseline.runs.size() < kFewestTurns) return {};
  if (!add_turns(baseline, false, turns) || !add_turns(candidate, true, turns)) return {};
  std::ranges::stable_sort(turns, {}, &Turn::start_s);
  if (!one_machine(turns) || !each_its_own_result(turns) || !one_job(turns)) return {};
  std::vector<GatePair> pairs;
  for (std::size_t i = 0; i < turns.size(); i += 2) {
    const auto &first = turns[i], &second = turns[i + 1];
    if (first.candidate == second.candidate) return {};
    const auto& of_baseline = first.candidate ? second : first;
    const auto& of_candidate = first.candidate ? first : second;
    pairs.push_back({of_baseline.run.point, of_candidate.run.point});
  }
  return pairs;
}

}  // namespace infermeter
