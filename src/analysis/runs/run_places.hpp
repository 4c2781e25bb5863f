// A run's records by load point and target, each in order of intention. Pointers are not owned. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// By (point, target).
using RunPlaces = std::map<std::pair<std::uint32_t, std::uint32_t>, Records>;

/// Measured requests only.
RunPlaces place_records(std::span<const RequestRecord> records);
/// Warm-up and ramps too.
RunPlaces place_all(std::span<const RequestRecord> records);

Records only_measured(const Records& records);

}  // namespace infermeter
