#include "report/words/health_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "model/load.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

/// All runs of the load are meant, so the place has none.
std::string place_of(const RunResult& result, const Health& health) {
  const auto it = std::ranges::find_if(result.points, [&](const PointResult& point) {
    return point.point == health.point && point.target == health.target;
  });
  if (it == result.points.end()) return {};
  PointPlace place = place_in(result, *it);
  place.run = 0;
  return name(place);
}

}  // namespace

std::string part_words(std::uint64_t failed, std::uint64_t requests) {
  return fmt::format("{} of {} failed", format_count(failed), format_count(requests));
}

std::string health_words(const RunResult& result, const Health& health) {
  const std::string place = place_of(result, health);
  std::string text = place.empty() ? "" : place + ": ";
  text += part_words(health.failed, health.requests);
  return health.failed < health.requests ? text + "; latencies are of the others" : text;
}

std::string failures_words(const Health& health) {
  std::string text;
  for (const auto& entry : health.failures)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", format_count(entry.count),
                        words_for(entry.outcome, entry.status));
  return text;
}

std::vector<const Health*> complaints_of(const RunResult& result) {
  std::vector<const Health*> complaints;
  for (const auto& health : result.health) {
    if (health.state != HealthState::good && health.failed > 0) complaints.push_back(&health);
  }
  std::ranges::stable_sort(complaints, std::greater{}, &Health::state);
  return complaints;
}

HealthState worst_health(const RunResult& result) {
  const auto complaints = complaints_of(result);
  return complaints.empty() ? HealthState::good : complaints.front()->state;
}

std::string few_failed_words(const RunResult& result) {
  std::uint64_t failed = 0, requests = 0;
  for (const auto& health : result.health) {
    if (health.state != HealthState::good) continue;
    failed += health.failed;
    requests += health.requests;
  }
  return failed == 0 ? std::string() : part_words(failed, requests);
}

}  // namespace infermeter
