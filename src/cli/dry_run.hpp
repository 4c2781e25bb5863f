// `run --dry-run`: what would be done, without a byte on the wire.
#pragma once

#include <string>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The plan in lines for people, then one whole request body of each class as it would be sent. Secrets are
/// masked. Reads data files as a run does. Throws UsageError for what only a closer look finds: a schedule
/// too long, a bad line, an --extra-body that is no object.
std::string dry_run_text(const Plan& plan);

}  // namespace infermeter
