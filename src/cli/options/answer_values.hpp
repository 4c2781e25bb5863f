// Options → what is asked of the answers, and which streams are closed before their end.
#pragma once

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Reads the files of --tools and --json-schema. Throws UsageError.
Answers answers_of(const Values& values);
Cancel cancel_of(const Values& values);

}  // namespace infermeter
