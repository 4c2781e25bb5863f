// What a dry run says of the load: its lines, and the form of all lines of the plan. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// "  Load       concurrency 8"
std::string plan_line(std::string_view title, std::string_view text);
/// "1 request", "1,200 requests"
std::string counted(std::uint64_t count, std::string_view noun);

/// Load, length and schedule of a single point, or a line for each of several. `noun` is the thing that
/// --requests counts, `stamps` are those of a replayed trace.
std::string load_lines(const Sweep& sweep, std::string_view noun, std::span<const nanoseconds> stamps);

}  // namespace infermeter
