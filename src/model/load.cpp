#include "model/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// As a person writes the number: 30, not 30.0.
std::string plain(double value) { return fmt::format("{:.6g}", value); }

/// As the option takes it: "4s".
std::string written_duration(nanoseconds duration) {
  std::string text = format_duration(duration);
  std::erase(text, ' ');
  return text;
}

std::string amount_text(const LoadId& load) {
  return load.open_loop ? plain(load.amount) : format_count(static_cast<std::uint64_t>(load.amount));
}

/// `amount` is text, so that it may be a list.
std::string level_text(const LoadId& load, const std::string& amount) {
  if (load.arrival == Arrival::trace)
    return load.replay.empty() ? "trace at its own speed" : "trace at " + load.replay;
  if (!load.open_loop)
    return load.stages.empty() ? "concurrency " + amount : "concurrency in stages " + load.stages;
  return load.stages.empty() ? amount + " requests/s" : fmt::format("stages {} requests/s", load.stages);
}

std::string arrival_text(const LoadId& load) {
  switch (load.arrival) {
    case Arrival::poisson:
      return ", Poisson";
    case Arrival::constant:
      return ", evenly spaced";
    case Arrival::gamma:
      return ", gamma with CV " + plain(load.cv);
    case Arrival::trace:
    case Arrival::closed:
      break;
  }
  return {};
}

void add(std::string_view part, std::string& text) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

std::string long_text(const LoadId& load, const std::string& amount) {
  std::string text = level_text(load, amount) + arrival_text(load);
  if (load.max_in_flight > 0) text += fmt::format(", at most {} in flight", format_count(load.max_in_flight));
  return load.shape.empty() ? text : text + ", shape " + load.shape;
}

std::string short_text(const LoadId& load, const std::string& amount) {
  return level_text(load, amount) + (load.shape.empty() ? "" : ", " + load.shape);
}

bool alike_but_for_amount(const LoadId& a, LoadId b) {
  b.amount = a.amount;
  return a == b;
}

std::string joined(std::span<const LoadId> loads, std::string (*text)(const LoadId&, const std::string&)) {
  const LoadId& first = loads.front();
  if (std::ranges::all_of(loads, [&](const LoadId& load) { return alike_but_for_amount(first, load); })) {
    std::string amounts;
    for (const auto& load : loads) add(amount_text(load), amounts);
    return text(first, amounts);
  }
  std::string out;
  for (const auto& load : loads) out += (out.empty() ? "" : "; ") + text(load, amount_text(load));
  return out;
}

template <typename Of>
bool varies(const RunResult& run, Of of) {
  return std::ranges::any_of(run.points,
                             [&](const PointResult& point) { return of(point) != of(run.points.front()); });
}

std::string host_of(const std::string& url) {
  const auto scheme = url.find("://");
  const std::string rest = scheme == std::string::npos ? url : url.substr(scheme + 3);
  return rest.substr(0, rest.find('/'));
}

}  // namespace

LoadId load_id(const LoadPoint& load) {
  LoadId id{.open_loop = load.open_loop,
            .arrival = load.open_loop ? load.arrival : Arrival::closed,
            .stages = load.stages,
            .shape = load.shape};
  id.amount = load.open_loop ? load.rate : load.concurrency;
  if (id.arrival == Arrival::trace) {
    id.amount = 0;
    id.replay = load.replay;
  }
  if (id.arrival == Arrival::gamma) id.cv = load.cv;
  if (load.open_loop) id.max_in_flight = load.max_in_flight;
  return id;
}

LoadId load_id(const Load& load) {
  LoadPoint point;
  point.open_loop = load.open_loop();
  point.arrival = load.arrival;
  point.concurrency = load.concurrency;
  point.rate = load.rate.value_or(0);
  point.cv = load.cv;
  point.max_in_flight = load.max_in_flight;
  if (load.arrival == Arrival::trace) point.replay = replay_text(load.replay_speed);
  point.stages = stages_text(load.stages);
  point.shape = load.shape_text;
  return load_id(point);
}

std::string name(const LoadId& load) { return names({&load, 1}); }
std::string short_name(const LoadId& load) { return short_names({&load, 1}); }
std::string names(std::span<const LoadId> loads) { return joined(loads, long_text); }
std::string short_names(std::span<const LoadId> loads) { return joined(loads, short_text); }

std::string replay_text(double speed) { return fmt::format("{}x", speed); }

std::string stages_text(std::span<const LoadStage> stages) {
  std::string text;
  for (const auto& stage : stages)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", written_duration(stage.duration),
                        plain(stage.target));
  return text;
}

PointPlace place_in(const RunResult& run, const PointResult& point) {
  PointPlace place;
  if (run.targets.size() > 1) place.target = target_name(run, point.target);
  if (varies(run, [](const auto& p) { return load_id(p.load); })) place.load = load_id(point.load);
  if (has_runs(run)) place.run = point.load.run;
  place.is_pair = run.target_order == TargetOrder::pairs;
  return place;
}

std::string name(const PointPlace& place) {
  std::string text = place.target;
  if (place.load) add(short_name(*place.load), text);
  if (place.run > 0) add(fmt::format("{} {}", place.is_pair ? "pair" : "run", place.run), text);
  if (!place.traffic_class.empty()) add("class " + place.traffic_class, text);
  return text;
}

std::string target_name(const TargetFacts& target) {
  const std::string& name = label_or_name(target);
  return name.empty() ? host_of(target.url) : name;
}

std::string target_name(const RunResult& run, std::uint32_t target) {
  return target < run.targets.size() ? target_name(run.targets[target])
                                     : fmt::format("target {}", target + 1);
}

bool has_runs(const RunResult& run) {
  return std::ranges::any_of(run.points, [](const PointResult& p) { return p.load.run > 1; });
}

}  // namespace infermeter
