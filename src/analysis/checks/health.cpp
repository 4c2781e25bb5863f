#include "analysis/checks/health.hpp"

#include <algorithm>
#include <tuple>

#include "model/load.hpp"

namespace infermeter {
namespace {

// Shares as 1/n, so that the limits are exact in whole requests.
constexpr std::uint64_t kDegradedFrom = 20, kFailedFrom = 2;

bool is_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

/// Never sent, or ended by the user: nothing is known about the server.
bool counts(Outcome outcome) { return outcome != Outcome::dropped && outcome != Outcome::interrupted; }

void add_failures(const OutcomeCount& count, std::vector<OutcomeCount>& failures) {
  const auto it = std::ranges::find_if(failures, [&](const OutcomeCount& other) {
    return other.outcome == count.outcome && other.status == count.status;
  });
  if (it != failures.end()) {
    it->count += count.count;
  } else {
    failures.push_back({count.outcome, count.status, count.count, {}});
  }
}

void add_point(const PointResult& point, Health& health) {
  for (const auto& count : point.outcomes) {
    if (counts(count.outcome)) health.requests += count.count;
    if (!is_failure(count.outcome)) continue;
    health.failed += count.count;
    add_failures(count, health.failures);
  }
}

/// Without a request that counts nothing was served.
HealthState state_of(const Health& health) {
  if (health.failed * kFailedFrom >= health.requests) return HealthState::failed;
  return health.failed * kDegradedFrom >= health.requests ? HealthState::degraded : HealthState::good;
}

auto amount(const LoadPoint& load) {
  return std::tuple(load.open_loop ? load.rate : static_cast<double>(load.concurrency), load.input_tokens,
                    load.output_tokens);
}

}  // namespace

bool has_lowest_load(std::span<const PointResult> points, const PointResult& point) {
  return std::ranges::none_of(points, [&](const PointResult& other) {
    return other.target == point.target && amount(other.load) < amount(point.load);
  });
}

std::vector<Health> find_health(std::span<const PointResult> points) {
  std::vector<Health> all;
  std::vector<LoadId> loads;
  for (const auto& point : points) {
    if (!is_measured(point)) continue;
    const LoadId load = load_id(point.load);
    std::size_t i = 0;
    while (i < all.size() && (all[i].target != point.target || loads[i] != load)) ++i;
    if (i == all.size()) {
      all.push_back({.point = point.point,
                     .target = point.target,
                     .lowest_load = has_lowest_load(points, point),
                     .failures = {}});
      loads.push_back(load);
    }
    add_point(point, all[i]);
  }
  for (auto& health : all) {
    health.state = state_of(health);
    std::ranges::stable_sort(health.failures, std::greater{}, &OutcomeCount::count);
  }
  return all;
}

}  // namespace infermeter
