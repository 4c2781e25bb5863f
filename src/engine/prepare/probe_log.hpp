// What the log says of the preparation: each request that was tried, and what came back.
#pragma once

#include <string_view>

#include "engine/prepare/preflight.hpp"
#include "engine/prepare/probe.hpp"

namespace infermeter {

/// `step`: "preflight", "calibration"; `url`: as people may see it.
void log_answer(const PreparedTarget& prepared, std::string_view step, std::string_view url,
                const HttpAnswer& answer);
void log_trial(const PreparedTarget& prepared, std::string_view step, const Trial& trial);

}  // namespace infermeter
