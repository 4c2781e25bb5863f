// `run --dry-run`: shows what a run would do, without any network traffic.
#pragma once

#include <string>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The plan as lines of text, then one whole request body of each class as it would be sent. Secrets are
/// masked. Reads data files as a run does. Throws UsageError for errors that only this shows: a schedule too
/// long, a bad line, an --extra-body that is not an object.
std::string dry_run_text(const Plan& plan);

}  // namespace infermeter
