// The options that change a batching preset: device, model, cache, scheduler, speculation.
#pragma once

#include <span>

#include "sim/engine/engine_config.hpp"
#include "sim/engine/preset_options.hpp"

namespace infermeter::sim {

std::span<const PresetOption<EngineConfig>> batching_options();

}  // namespace infermeter::sim
