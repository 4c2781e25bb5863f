// Where the mean TTFT of a load point goes (docs/metrics.md, "Where TTFT goes"). Pure; any thread.
#pragma once

#include <optional>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// From the point's figures: client queue and connecting are ours, queue and prefill the server's, by the
/// best tier that tells them. Nothing without a server's queue time.
std::optional<TtftParts> ttft_parts(const PointResult& point);

}  // namespace infermeter
