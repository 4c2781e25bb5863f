// The part of a dry run that tells when requests are sent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// "  Load       concurrency 32\n".
std::string plan_line(std::string_view title, std::string_view text);
/// "1 request", "4,000 requests".
std::string counted(std::uint64_t count, std::string_view noun);

/// Load, length and schedule of the only point, or a line for each of several. `noun` is what --requests
/// counts,
/// `stamps` are those of a trace, where one is replayed.
std::string load_lines(const Sweep& sweep, std::string_view noun, std::span<const nanoseconds> stamps);

}  // namespace infermeter
