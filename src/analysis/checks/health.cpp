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
bool counts(Outcome outcome) { return !is_unsent(outcome) && outcome != Outcome::interrupted; }

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

void add_point(const PointResult& point, Health& health, std::uint64_t& limited) {
  for (const auto& count : point.outcomes) {
    if (count.outcome == Outcome::client_limit) limited += count.count;
    if (counts(count.outcome)) health.requests += count.count;
    if (!is_failure(count.outcome)) continue;
    health.failed += count.count;
    add_failures(count, health.failures);
  }
}

/// Nothing was sent, by a limit of this machine: the run says nothing about the server.
bool is_unasked(const Health& health, std::uint64_t limited) { return health.requests == 0 && limited > 0; }

/// Without a request that counts nothing was served.
HealthState state_of(const Health& health, std::uint64_t limited) {
  if (is_unasked(health, limited)) return HealthState::good;
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
  std::vector<std::uint64_t> limited;  // requests of each
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
      limited.push_back(0);
    }
    add_point(point, all[i], limited[i]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].state = state_of(all[i], limited[i]);
    std::ranges::stable_sort(all[i].failures, std::greater{}, &OutcomeCount::count);
  }
  return all;
}

}  // namespace infermeter
