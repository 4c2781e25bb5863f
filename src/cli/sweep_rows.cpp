#include "cli/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "infermeter/base/units.hpp"
#include "infermeter/report/table.hpp"
#include "model/load.hpp"

namespace infermeter {
namespace {

bool is_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

/// The requests of a conversation count one by one.
double turns_of(const Plan& plan) {
  const auto& prompts = plan.classes.front().prompts;
  return prompts.conversations() ? std::max(1.0, prompts.turns.mean()) : 1;
}

bool takes_turns(const Plan& plan) {
  return plan.target_order == TargetOrder::alternate && plan.targets.size() > 1;
}

bool has_too_few(const Plan& plan, const Load& load) {
  if (load.open_loop() || !load.requests || *load.requests < 2 || !load.stages.empty()) return false;
  return static_cast<double>(*load.requests) * turns_of(plan) <
         static_cast<double>(requests_for_steady_rate(load.concurrency));
}

/// As planned; nothing where a count of requests may end it.
std::optional<nanoseconds> length_of(const Load& load) {
  if (load.requests || !load.duration) return std::nullopt;
  return *load.duration + load.warmup_duration.value_or(0ns);
}

}  // namespace

std::string too_few_requests_words(const Plan& plan) {
  if (takes_turns(plan)) return {};
  std::vector<LoadId> loads;
  std::uint64_t asked = 0;
  double needed = 0;
  for (const auto& load : plan.sweep.points) {
    if (!has_too_few(plan, load)) continue;
    if (std::ranges::find(loads, load_id(load)) == loads.end()) loads.push_back(load_id(load));
    asked = std::max(asked, *load.requests);
    needed = std::max(
        needed, std::ceil(static_cast<double>(requests_for_steady_rate(load.concurrency)) / turns_of(plan)));
  }
  if (loads.empty()) return {};
  return fmt::format(
      "{}: {} {} too few for a steady rate, which takes three requests a slot: -n {}, or -n 3x",
      short_names(loads), format_count(asked), asked == 1 ? "request is" : "requests are",
      static_cast<std::uint64_t>(needed));
}

SweepRows::SweepRows(const Plan& plan, const RunResult& planned, Instant start)
    : plan_(plan), start_(start), shown_(plan.sweep.points.size(), false) {
  for (const auto& point : planned.points) {
    if (is_measured(point)) shown_.at(point.point) = true;
  }
}

std::vector<std::string> SweepRows::take(const RunResult& so_far, Instant now) {
  std::vector<std::string> lines;
  if (shown_.size() < 2) return lines;
  std::vector<bool> ended = shown_;
  for (const auto& point : so_far.points) {
    if (shown_[point.point] || !is_measured(point)) continue;
    lines.push_back(
        fmt::format("{}/{}  {}", point.point + 1, shown_.size(), render_point_line(so_far, point)));
    ended[point.point] = true;
  }
  measured_ += static_cast<std::size_t>(std::ranges::count(ended, true) - std::ranges::count(shown_, true));
  shown_ = ended;
  if (const std::string left = time_left(now - start_); !lines.empty() && !left.empty())
    lines.back() += "; " + left;
  return lines;
}

/// Points that end by a count are taken to last as long as those so far on average.
std::string SweepRows::time_left(nanoseconds elapsed) const {
  if (measured_ == 0) return {};
  nanoseconds left{};
  for (std::size_t p = 0; p < shown_.size(); ++p) {
    if (shown_[p]) continue;
    left += length_of(plan_.sweep.points[p])
                .value_or(elapsed / static_cast<std::int64_t>(measured_) - plan_.sweep.cooldown);
    left += plan_.sweep.cooldown;
  }
  if (left <= 0ns) return {};
  return fmt::format("about {} left", format_duration(std::max<nanoseconds>(
                                          std::chrono::round<std::chrono::seconds>(left), 1s)));
}

}  // namespace infermeter
