// The user's own prompts, in turn, as they are. Pure; any thread.
#pragma once

#include <memory>

#include "workload/request_source.hpp"

namespace infermeter {

/// inputs.prompts.prompts is not empty. A conversation takes as many of them, in order, as it has turns.
std::unique_ptr<RequestSource> make_own_prompts(SourceInputs inputs);

}  // namespace infermeter
