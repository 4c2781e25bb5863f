#include "report/words/load_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kNamedPoints = 3;

/// What a person asked for is said as they wrote it: 30, not 30.0.
std::string plain(double value) { return fmt::format("{:.6g}", value); }

std::string arrival_words(const LoadPoint& load) {
  if (load.arrival == Arrival::poisson) return ", Poisson";
  if (load.arrival == Arrival::constant) return ", evenly spaced";
  if (load.arrival == Arrival::gamma) return fmt::format(", gamma with CV {}", plain(load.cv));
  return {};
}

std::string open_words(const LoadPoint& load) {
  if (load.arrival == Arrival::trace)
    return load.replay.empty() ? "a trace at its own speed" : fmt::format("a trace at {}", load.replay);
  if (!load.stages.empty()) return fmt::format("stages {} requests/s", load.stages) + arrival_words(load);
  return plain(load.rate) + " requests/s" + arrival_words(load);
}

std::string host_of(const std::string& url) {
  const auto scheme = url.find("://");
  const std::string rest = scheme == std::string::npos ? url : url.substr(scheme + 3);
  return rest.substr(0, rest.find('/'));
}

void add_distinct(std::vector<std::string>& values, const std::string& value) {
  if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
}

std::string joined_values(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ", ") + value;
  return out;
}

/// "64, 128 at a time" where all names end so; else each in full.
std::string joined_before(std::vector<std::string> names, std::string_view ending) {
  const bool alike = std::ranges::all_of(names, [&](const auto& name) { return name.ends_with(ending); });
  const auto own = [&](const std::string& name) { return name.substr(0, name.size() - ending.size()); };
  const bool numbers = alike && std::ranges::all_of(names, [&](const auto& name) {
                         return own(name).find(' ') == std::string::npos;
                       });
  if (!numbers || names.size() < 2) {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : "; ") + name;
    return out;
  }
  for (auto& name : names) name = own(name);
  return joined_values(names) + std::string(ending);
}

std::string count_words(std::uint64_t count, const LoadPoint& load, std::string_view each) {
  return (load.conversations ? counted(count, "conversation", "conversations")
                             : counted(count, "request", "requests")) +
         std::string(each);
}

/// `each` stands behind counts: " a slot".
std::string extent_words(const LoadPoint& load, std::string_view each) {
  std::string text;
  if (load.requests) text = count_words(*load.requests, load, each);
  if (load.duration_s) text += (text.empty() ? "" : " or ") + plain(*load.duration_s) + " s";
  if (text.empty() && load.arrival == Arrival::trace) text = "all of it";
  const std::string after = text.empty() ? "after " : text + " after ";
  if (load.warmup_s && *load.warmup_s > 0) return after + plain(*load.warmup_s) + " s of warm-up";
  if (load.warmup_requests && *load.warmup_requests > 0)
    return after + counted(*load.warmup_requests, "warm-up request", "warm-up requests") + std::string(each);
  return text + (text.empty() ? "no warm-up" : ", no warm-up");
}

}  // namespace

std::string load_words(const LoadPoint& load) {
  if (!load.open_loop && !load.stages.empty()) return fmt::format("stages {} at a time", load.stages);
  if (!load.open_loop) return format_count(load.concurrency) + " at a time";
  std::string text = open_words(load);
  if (load.max_in_flight > 0) text += fmt::format(", at most {} in flight", format_count(load.max_in_flight));
  return text;
}

std::string point_name(const LoadPoint& load) {
  std::string text = format_count(load.concurrency) + " at a time";
  if (load.open_loop)
    text = load.arrival == Arrival::trace ? open_words(load) : plain(load.rate) + " requests/s";
  return load.shape.empty() ? text : text + ", " + load.shape;
}

bool has_runs(const RunResult& result) {
  return std::ranges::any_of(result.points, [](const PointResult& p) { return p.load.run > 1; });
}

std::string_view run_word(const RunResult& result) {
  return result.target_order == TargetOrder::pairs ? "pair" : "run";
}

std::string run_name(const RunResult& result, const PointResult& point) {
  return has_runs(result) ? fmt::format("{} {}", run_word(result), point.load.run) : std::string();
}

std::string points_named(const RunResult& result, const Points& points) {
  if (points.size() > kNamedPoints)
    return fmt::format("{} of {} points", points.size(), result.points.size());
  const bool several_loads = std::ranges::any_of(result.points, [&](const PointResult& p) {
    return point_name(p.load) != point_name(result.points.front().load);
  });
  std::vector<std::string> names;
  for (const auto* point : points) {
    std::string name = result.targets.size() > 1 ? target_name(result, point->target) : "";
    if (several_loads) name += (name.empty() ? "" : " at ") + point_name(point->load);
    const std::string run = run_name(result, *point);
    if (!run.empty()) name += (name.empty() ? "" : ", ") + run;
    names.push_back(std::move(name));
  }
  return joined_before(names, " at a time");
}

std::string extent_words(const LoadPoint& load) { return extent_words(load, ""); }

std::string extents_words(const std::vector<PointResult>& points) {
  LoadPoint load = points.front().load;
  const auto alike = [&](auto of) {
    return std::ranges::all_of(points, [&](const PointResult& p) { return of(p.load) == of(load); });
  };
  if (load.open_loop || (alike([](const LoadPoint& l) { return l.requests; }) &&
                         alike([](const LoadPoint& l) { return l.warmup_requests; })))
    return extent_words(load);
  const auto a_slot = [](const std::optional<std::uint64_t>& count, const LoadPoint& l) {
    return count.value_or(0) / std::max<std::uint32_t>(1, l.concurrency);
  };
  const auto requests = [&](const LoadPoint& l) { return a_slot(l.requests, l); };
  const auto warmup = [&](const LoadPoint& l) { return a_slot(l.warmup_requests, l); };
  if (!alike(requests) || !alike(warmup)) return "as many requests as each load needs";
  if (load.requests) load.requests = requests(load);
  if (load.warmup_requests) load.warmup_requests = warmup(load);
  return extent_words(load, " a slot");
}

std::string loads_words(const std::vector<PointResult>& points) {
  const LoadPoint& first = points.front().load;
  std::vector<std::string> loads, shapes;
  for (const auto& point : points) {
    const LoadPoint& load = point.load;
    add_distinct(loads, load.open_loop ? plain(load.rate) : format_count(load.concurrency));
    add_distinct(shapes, load.shape);
  }
  std::string text = load_words(first);
  if (loads.size() > 1)
    text = joined_values(loads) + (first.open_loop ? " requests/s" + arrival_words(first) : " at a time");
  if (shapes.size() < 2) return text;
  return fmt::format("{}, {}{} tokens in/out", text, loads.size() > 1 ? "each with " : "with ",
                     joined_values(shapes));
}

std::string target_name(const RunResult& result, std::uint32_t target, std::size_t longest) {
  if (target >= result.targets.size()) return fmt::format("target {}", target + 1);
  const TargetFacts& facts = result.targets[target];
  const std::string name = facts.name.empty() ? host_of(facts.url) : facts.name;
  return longest == 0 ? name : shorten(name, longest, "…");
}

}  // namespace infermeter
