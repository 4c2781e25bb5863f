#include "analysis/assertions/places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "analysis/figures/in_flight.hpp"
#include "analysis/runs/run_records.hpp"

namespace infermeter {

namespace {

constexpr std::string_view kClass = "class";

/// As a person writes the number: 30, not 30.0.
std::string plain(double value) { return fmt::format("{:.6g}", value); }

/// A point's value for a key of a scope; empty: it has none.
std::string value_of(const RunResult& run, const PointResult& point, std::string_view key) {
  const auto& load = point.load;
  if (key == "target") return target_name(run, point.target);
  if (key == "shape") return load.shape;
  if (key == "run") return fmt::format("{}", load.run);
  if (key == "rate") return load.open_loop ? plain(load.rate) : std::string();
  if (key == "concurrency") return load.open_loop ? std::string() : fmt::format("{}", load.concurrency);
  return {};
}

bool same(std::string_view one, std::string_view other) {
  double a = 0, b = 0;
  const auto read = [](std::string_view text, double& value) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
  };
  return one == other || (read(one, a) && read(other, b) && a == b);
}

/// A target with a label is still found by its name.
bool is_named(const RunResult& run, const PointResult& point, std::string_view name) {
  return point.target < run.targets.size() && run.targets[point.target].name == name;
}

bool in_scope(const Threshold& assertion, const RunResult& run, const PointResult& point) {
  return std::ranges::all_of(assertion.scope, [&](const auto& part) {
    const auto& [key, value] = part;
    return key == kClass || same(value_of(run, point, key), value) ||
           (key == "target" && is_named(run, point, value));
  });
}

/// Null where the point has no class of that name.
const Slice* find_class(const PointResult& point, const std::string& name) {
  const auto it = std::ranges::find_if(point.slices, [&](const auto& slice) {
    return slice.by == SliceKind::traffic_class && slice.name == name;
  });
  return it == point.slices.end() ? nullptr : &*it;
}

bool is_the_only_class(const PointResult& point, const std::string& name) {
  return point.load.classes.size() == 1 && point.load.classes.front().name == name;
}

Records of_class(const PointResult& point, const std::string& name, const Records& all) {
  Records out;
  std::ranges::copy_if(all, std::back_inserter(out), [&](const auto* record) {
    const auto* of = class_of(*record, point.load.classes);
    return of && of->name == name;
  });
  return out;
}

void narrow_to_class(const Slice& slice, AssertionPlace& place) {
  const auto window = rates_window(*place.point, place.measured);
  place.all = of_class(*place.point, slice.name, place.all);
  place.measured = only_measured(place.all);
  place.answers = timed_answers(place.measured);
  place.in_flight = mean_in_flight_while_busy(place.measured);
  place.made = class_as_point(*place.point, slice, place.all, place.answers, window);
  place.where.traffic_class = slice.name;
}

const std::string* class_asked_for(const Threshold& assertion) {
  const auto it = std::ranges::find(assertion.scope, kClass, [](const auto& part) { return part.first; });
  return it == assertion.scope.end() ? nullptr : &it->second;
}

AssertionPlace whole_place(const RunResult& run, const PointResult& point, const RunPlaces& records) {
  const auto found = records.find({point.point, point.target});
  return {figure_place(point, found == records.end() ? nullptr : &found->second), place_in(run, point)};
}

}  // namespace

std::vector<AssertionPlace> places_of(const Threshold& assertion, const RunResult& run,
                                      const RunPlaces& records) {
  std::vector<AssertionPlace> places;
  const auto* name = class_asked_for(assertion);
  for (const auto& point : run.points) {
    if (!in_scope(assertion, run, point)) continue;
    const auto* slice = name ? find_class(point, *name) : nullptr;
    if (name && !slice && !is_the_only_class(point, *name)) continue;
    places.push_back(whole_place(run, point, records));
    if (slice) narrow_to_class(*slice, places.back());
  }
  return places;
}

std::string known_places(const RunResult& run, std::string_view key) {
  std::vector<std::string> values;
  const auto add = [&](const std::string& value) {
    if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  for (const auto& point : run.points) {
    add(value_of(run, point, key));
    if (key != kClass) continue;
    for (const auto& one : point.load.classes) add(one.name);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace infermeter
