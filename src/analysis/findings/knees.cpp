#include "analysis/findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "analysis/checks/checks.hpp"
#include "infermeter/base/units.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kFewestLevels = 3;
constexpr double kNoChange = 0.005;
constexpr double kTold = 1.2;           // a smaller growth of TTFT is not attributed to load
constexpr double kFallOfACliff = 0.95;  // of the throughput before it
constexpr double kRiseToACliff = 10;    // times the TTFT before it

/// One load level of a sweep.
struct Level {
  const PointResult* point = nullptr;
  double load = 0;        // in flight, or per second
  double throughput = 0;  // tokens per second, or requests where there are none
  double response = 0;    // median time of an answer, ms
  double ttft = 0;        // ms; 0: none
  bool tokens = false;
  double power() const { return throughput / response; }
  bool steady() const { return point->has_steady_rate(); }
};
using Levels = std::vector<Level>;

Level level_of(const PointResult& point) {
  const auto& rates = point.rates();
  const bool open = point.load.open_loop;
  Level level{.point = &point, .load = open ? point.load.rate : point.load.concurrency};
  level.tokens = rates.output > 0;
  level.throughput = level.tokens ? rates.output : rates.request;
  level.response = metric_median(point, open ? "e2e_response" : "e2e");
  level.ttft = metric_median(point, open ? "ttft_response" : "ttft");
  return level;
}

/// Levels by target, loop and shape, in order of load; the first of equal ones.
std::vector<Levels> sweeps_of(std::span<const PointResult> points) {
  // A level without a steady rate is replaced by a run of the same load that has one.
  const auto better = [](const Level& a, const Level& b) {
    return std::pair(a.load, !a.steady()) < std::pair(b.load, !b.steady());
  };
  std::map<std::tuple<std::uint32_t, bool, std::string>, Levels> by_shape;
  for (const auto& point : points) {
    const auto level = level_of(point);
    if (!point.load.stages.empty() || level.load <= 0 || level.throughput <= 0 || level.response <= 0)
      continue;
    by_shape[{point.target, point.load.open_loop, point.load.shape}].push_back(level);
  }
  std::vector<Levels> out;
  for (auto& [shape, levels] : by_shape) {
    std::ranges::stable_sort(levels, better);
    const auto rest = std::ranges::unique(levels, {}, &Level::load);
    levels.erase(rest.begin(), rest.end());
    if (levels.size() >= kFewestLevels) out.push_back(std::move(levels));
  }
  return out;
}

/// The shape is shown beside it.
std::string load_words(const Level& level) {
  LoadId load = load_id(level.point->load);
  load.shape.clear();
  return short_name(load);
}

std::string step_words(const Level& from, const Level& to) {
  const bool doubled = std::abs(to.load / from.load - 2) < 1e-9;
  return fmt::format("{} to {}", doubled ? "doubling" : "going", load_words(to));
}

std::string percent_number(double share) { return format_number(100 * share, 2); }

/// "15 % more tokens", "2.9 times the tokens", "5.0 % fewer tokens".
std::string gain_words(const Level& from, const Level& to) {
  const double ratio = to.throughput / from.throughput;
  const auto* what = from.tokens ? "tokens" : "requests";
  if (ratio >= 2) return fmt::format("{} times the {}", format_number(ratio, 2), what);
  if (ratio > 1 + kNoChange) return fmt::format("{} % more {}", percent_number(ratio - 1), what);
  if (ratio < 1 - kNoChange) return fmt::format("{} % fewer {}", percent_number(1 - ratio), what);
  return fmt::format("no more {}", what);
}

/// TTFT where TTFT grows, else the whole answer.
std::string cost_words(const Level& from, const Level& to) {
  const double ttft = from.ttft > 0 ? to.ttft / from.ttft : 0;
  const double answer = to.response / from.response;
  if (ttft >= 2) return fmt::format("{} times the TTFT", format_number(ttft, 2));
  if (ttft >= kTold) return fmt::format("a TTFT {} % longer", percent_number(ttft - 1));
  if (answer >= 2) return fmt::format("answers that take {} times as long", format_number(answer, 2));
  if (answer > 1 + kNoChange) return fmt::format("answers that take {} % longer", percent_number(answer - 1));
  return "answers that take no longer";
}

std::string step_sentence(const Level& from, const Level& to) {
  return fmt::format("{} brings {} and {}", step_words(from, to), gain_words(from, to), cost_words(from, to));
}

bool is_cliff(const Level& from, const Level& to) {
  return to.throughput < kFallOfACliff * from.throughput ||
         (from.ttft > 0 && to.ttft >= kRiseToACliff * from.ttft);
}

std::string knee_sentence(const Levels& levels, std::size_t knee) {
  const auto &at = levels[knee], &next = levels[knee + 1];
  const auto& shape = at.point->load.shape;
  const auto who = shape.empty() ? std::string("The knee") : fmt::format("With {} the knee", shape);
  return fmt::format("{} is at {}{}{}: {}.", who, load_words(at), knee == 0 ? " or below" : "",
                     is_cliff(at, next) ? ", before a cliff" : "", step_sentence(at, next));
}

/// The first level after the step that the knee's sentence describes, or nothing.
std::string cliff_sentence(const Levels& levels, std::size_t knee) {
  for (std::size_t i = knee + 2; i < levels.size(); ++i) {
    const auto &from = levels[i - 1], &to = levels[i];
    if (!is_cliff(from, to)) continue;
    return fmt::format(" Beyond {} is a cliff: {}.", load_words(from), step_sentence(from, to));
  }
  return {};
}

/// "with 8k/128 no knee": the highest level stands for the sweep.
Knee no_knee(const Levels& levels, const std::string& why) {
  const auto& last = *levels.back().point;
  const auto& shape = last.load.shape;
  const auto with = shape.empty() ? std::string("No knee") : fmt::format("With {} no knee", shape);
  return {.point = last.point,
          .target = last.target,
          .text = fmt::format("{} found in this range: {}.", with, why),
          .found = false};
}

Knee knee_of(const Levels& all) {
  Levels levels = all;
  std::erase_if(levels, [](const Level& level) { return !level.steady(); });
  if (levels.size() < kFewestLevels)
    return no_knee(all, fmt::format("{} of the {} levels have a steady rate, and it takes {}", levels.size(),
                                    all.size(), kFewestLevels));
  const auto knee =
      static_cast<std::size_t>(std::ranges::max_element(levels, {}, &Level::power) - levels.begin());
  if (knee + 1 == levels.size())
    return no_knee(all, fmt::format("{}, the last level{}, is still the best", load_words(levels.back()),
                                    levels.size() < all.size() ? " with a steady rate" : ""));
  return {.point = levels[knee].point->point,
          .target = levels[knee].point->target,
          .text = knee_sentence(levels, knee) + cliff_sentence(levels, knee)};
}

}  // namespace

std::vector<Knee> find_knees(std::span<const PointResult> points) {
  std::vector<Knee> out;
  for (const auto& levels : sweeps_of(points)) out.push_back(knee_of(levels));
  return out;
}

}  // namespace infermeter
