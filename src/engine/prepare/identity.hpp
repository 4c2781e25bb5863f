// What a server says of itself before a run: /v1/models and /version. Part of preflight.
#pragma once

#include "engine/prepare/preflight.hpp"

namespace infermeter {

/// How long is paused between two tries while the server is awaited.
inline constexpr nanoseconds kReadyPause = std::chrono::milliseconds(500);

/// Fills the facts and, where none was asked for, the model; tries until the models answer or `give_up`.
/// Throws EnvironmentError where no model can be named.
void find_model(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared, Instant give_up,
                const std::atomic<bool>& interrupt, const Say& say);

}  // namespace infermeter
