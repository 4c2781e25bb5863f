// Which requests met every SLO of their class. Pure; any thread.
#pragma once

#include <optional>

#include "infermeter/model/result.hpp"
#include "run_records.hpp"
#include "windows.hpp"

namespace infermeter {

/// Of the measured requests whose class has SLOs; nothing where none has. Every one that was to be answered
/// counts: failed, aborted and dropped ones are misses. Those that we ended ourselves, cancelled and
/// interrupted, do not count. `goodput` counts those that ended in the window.
std::optional<SloResult> judge_slos(const Records& measured, std::span<const ClassLoad> classes,
                                    const std::optional<Window>& window);

}  // namespace infermeter
