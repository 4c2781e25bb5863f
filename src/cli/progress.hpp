// What a run says on standard error while it goes on. Private to src/cli.
#pragma once

#include "engine/prepare/preflight.hpp"
#include "engine/session/progress.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

ProgressStyle progress_style(const Plan& plan);

/// Lines on standard error, unless the plan wants no progress.
Say say_progress(const ProgressStyle& style);

}  // namespace infermeter
