// A saved run held against assertions again. Private to src/cli.
#pragma once

#include "cli/options/assert_values.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/run/saved_run.hpp"

namespace infermeter {

/// Judges the run anew: by `given`, else by the assertions that it was made with; without any its verdict
/// stays as it was saved. Throws EnvironmentError where a saved assertion cannot be read.
void judge_again(SavedRun& saved, const Asserts& given);

/// What `given` came to, 4 where the run is not to be trusted; 0 without any: the run was shown.
ExitCode exit_code_of(const RunResult& run, const Asserts& given);

}  // namespace infermeter
