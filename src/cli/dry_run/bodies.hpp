// The part of a dry run that shows what would be sent first, whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "workload/data/items.hpp"

namespace infermeter {

/// One body for each class and target; targets that are sent the same are not told apart. `items` are those
/// of the classes' data files, null for a class without one. Throws UsageError for what only a closer look
/// finds: an --extra-body that is no object, a prompt shorter than its fixed parts.
std::string first_bodies(const RunRequest& request,
                         const std::vector<std::shared_ptr<const ItemSource>>& items);

}  // namespace infermeter
