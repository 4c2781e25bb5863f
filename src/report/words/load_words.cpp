#include "report/words/load_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kNamedPoints = 3;

/// As a person writes the number: 30, not 30.0.
std::string plain(double value) { return fmt::format("{:.6g}", value); }

void add_distinct(std::vector<std::string>& values, const std::string& value) {
  if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
}

std::string joined_values(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ", ") + value;
  return out;
}

std::string count_words(std::uint64_t count, const LoadPoint& load, std::string_view each) {
  return (load.conversations ? counted(count, "conversation", "conversations")
                             : counted(count, "request", "requests")) +
         std::string(each);
}

/// `each` follows counts: " a slot".
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

std::string_view run_word(const RunResult& result) {
  return result.target_order == TargetOrder::pairs ? "pair" : "run";
}

std::string points_named(const RunResult& result, const Points& points) {
  if (points.size() > kNamedPoints)
    return fmt::format("{} of {} points", points.size(), result.points.size());
  std::vector<LoadId> loads;
  std::string names;
  for (const auto* point : points) {
    const PointPlace place = place_in(result, *point);
    if (place.load && place.target.empty() && place.run == 0) loads.push_back(*place.load);
    names += (names.empty() ? "" : "; ") + name(place);
  }
  return !loads.empty() && loads.size() == points.size() ? short_names(loads) : names;
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
  std::vector<LoadId> loads;
  std::vector<std::string> shapes;
  for (const auto& point : points) {
    LoadId load = load_id(point.load);
    add_distinct(shapes, std::exchange(load.shape, {}));
    if (std::ranges::find(loads, load) == loads.end()) loads.push_back(std::move(load));
  }
  const std::string text = names(loads);
  if (shapes.size() < 2) return text;
  return fmt::format("{}, {}{} tokens in/out", text, loads.size() > 1 ? "each with " : "with ",
                     joined_values(shapes));
}

std::string short_target_name(const RunResult& result, std::uint32_t target, std::size_t longest) {
  return shorten(target_name(result, target), longest, "…");
}

}  // namespace infermeter
