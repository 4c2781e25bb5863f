// The end of a measurement: what was measured is saved and shown, whatever of it cannot be written. Private
// to src/run.
#pragma once

#include "infermeter/model/result.hpp"
#include "infermeter/run/measure.hpp"
#include "io/files/result_folder.hpp"
#include "run/measured_run.hpp"

namespace infermeter {

/// Saves `result` of `run` in `folder` (null: nowhere), and as verdict.json if it is `of_gate`; passes it to
/// `hooks.end` whether or not it could be saved; then throws one Error for all that could not be written.
void hand_out(const RunResult& result, const MeasuredRun& run, ResultFolder* folder, const Hooks& hooks,
              bool of_gate = false);

}  // namespace infermeter
