// Options → the load points of a run, and the steps before and after each.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// One point for each combination of load level and shape, shape by shape. Throws UsageError.
Sweep sweep_of(const Values& values);

/// The loads repeated `runs` times, run after run, each run with its own seed.
std::vector<Load> repeated(const std::vector<Load>& loads, std::uint32_t runs);

/// The largest seed that parse_count reads exactly.
inline constexpr std::uint64_t kMaxSeed = 9'000'000'000'000'000;
inline constexpr std::uint64_t kMaxSlots = 100'000;
/// A rate in requests per second, within bounds; `origin` is the option as written.
double parse_rate(const std::string& origin, const std::string& text);

}  // namespace infermeter
