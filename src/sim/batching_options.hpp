// The options that change a batching preset: device, model, cache, scheduler, speculation.
#pragma once

#include <span>

#include "engine_config.hpp"
#include "preset_options.hpp"

namespace infermeter::sim {

std::span<const PresetOption<EngineConfig>> batching_options();

}  // namespace infermeter::sim
