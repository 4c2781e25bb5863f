// Single validity checks of a load point.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "infermeter/analysis/summarize.hpp"

namespace infermeter::tests {

inline const Check* find_check(const PointResult& point, CheckKind kind) {
  const auto it = std::ranges::find(point.validity.checks, kind, &Check::kind);
  return it == point.validity.checks.end() ? nullptr : &*it;
}

inline Check check_of(CheckKind kind, const LoadPoint& load, const std::vector<RequestRecord>& records,
                      const RunState& state = {}) {
  const auto point = summarize(load, records, state);
  const auto* check = find_check(point, kind);
  if (!check) throw std::runtime_error("no such check");
  return *check;
}

}  // namespace infermeter::tests
