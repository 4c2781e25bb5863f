#include "cli/planned_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "model/load.hpp"
#include "model/secrets/shell_secrets.hpp"
#include "report/media/media.hpp"
#include "workload/schedule/arrivals.hpp"

namespace infermeter {
namespace {

using Stamps = std::span<const nanoseconds>;

constexpr std::size_t kShownArrivals = 5;

double seconds_of(nanoseconds offset) { return static_cast<double>(offset.count()) / 1e9; }

std::string end_text(const Load& load, std::string_view noun) {
  if (!load.requests && !load.duration) return "to the trace's end";
  if (!load.requests) return format_duration(*load.duration);
  const std::string requests = counted(*load.requests, noun);
  if (!load.duration) return requests;
  return fmt::format("{} or {}, whichever ends first", requests, format_duration(*load.duration));
}

std::string length_text(const Load& load, std::string_view noun) {
  const std::string end = end_text(load, noun);
  if (load.warmup_duration)
    return fmt::format("{} after {} of warm-up", end, format_duration(*load.warmup_duration));
  return fmt::format("{} after {}", end, counted(load.warmup_requests.value_or(0), "warm-up request"));
}

/// Cap and shape are printed separately.
std::string level_text(const Load& load) {
  LoadId id = load_id(load);
  id.max_in_flight = 0;
  id.shape.clear();
  return name(id);
}

std::string schedule_lines(const Load& load, Stamps stamps) {
  const Schedule schedule = make_schedule(load, stamps);
  std::string first;
  for (std::size_t i = 0; i < std::min(kShownArrivals, schedule.offsets.size()); ++i)
    first += fmt::format("{:.4f} ", seconds_of(schedule.offsets[i]));
  return plan_line("Schedule",
                   fmt::format("{} warm-up + {} measured requests, hash {}", format_count(schedule.warmup),
                               format_count(schedule.offsets.size() - schedule.warmup), schedule.hash)) +
         plan_line("", fmt::format("first at {}s; measured from {:.4f} s to {:.4f} s", first,
                                   seconds_of(schedule.measured_from), seconds_of(schedule.measured_to)));
}

std::string cap_line(const Load& load) {
  if (load.max_in_flight == 0) return {};
  return plan_line("", fmt::format("at most {} in flight, then {}", format_count(load.max_in_flight),
                                   load.drop_at_cap ? "dropped" : "waiting in the client"));
}

std::string point_lines(const Load& load, std::string_view noun, Stamps stamps) {
  std::string out = plan_line("Load", level_text(load)) + cap_line(load);
  if (!load.shape_text.empty()) out += plan_line("Shape", load.shape_text);
  out += plan_line("Length", length_text(load, noun));
  if (load.open_loop()) return out + schedule_lines(load, stamps);
  return out + plan_line("Schedule", "none: a slot sends its next request when one ends");
}

std::string sweep_lines(const Sweep& sweep, std::string_view noun, Stamps stamps) {
  std::string out = plan_line("Points", fmt::format("{}, each with its own nonce, warm-up and drain",
                                                    format_count(sweep.points.size())));
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const Load& load = sweep.points[i];
    const std::string shape = load.shape_text.empty() ? "" : fmt::format(", {} tokens", load.shape_text);
    out += plan_line(fmt::format("{:>6}", i + 1),
                     fmt::format("{}{}; {}{}", level_text(load), shape, length_text(load, noun),
                                 load.open_loop() ? "; hash " + make_schedule(load, stamps).hash : ""));
  }
  return out + cap_line(sweep.points.front());
}

std::string around_lines(const Sweep& sweep) {
  std::string out;
  if (sweep.cooldown > nanoseconds(0)) out += plan_line("Cooldown", format_duration(sweep.cooldown));
  for (const auto& threshold : sweep.stop_when) out += plan_line("Stop when", threshold.text);
  if (!sweep.before_point.empty()) out += plan_line("Before", mask_command(sweep.before_point));
  if (!sweep.after_point.empty()) out += plan_line("After", mask_command(sweep.after_point));
  if (!sweep.resume.empty()) out += plan_line("Resume", sweep.resume);
  return out;
}

}  // namespace

std::string plan_line(std::string_view title, std::string_view text) {
  return fmt::format("  {:<10} {}\n", title, terminal_text(text, false));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string load_lines(const Sweep& sweep, std::string_view noun, std::span<const nanoseconds> stamps) {
  const Load& first = sweep.points.front();
  std::string out =
      sweep.points.size() == 1 ? point_lines(first, noun, stamps) : sweep_lines(sweep, noun, stamps);
  out += around_lines(sweep);
  out += plan_line("Workers", first.workers == 0 ? "chosen from the load and the cores"
                                                 : fmt::format("{}", first.workers));
  return out + plan_line("Seed", fmt::format("{}", first.seed));
}

}  // namespace infermeter
