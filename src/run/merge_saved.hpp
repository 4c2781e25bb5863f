// The saved shards of one run as one saved run.
#pragma once

#include <string>
#include <vector>

namespace infermeter {

/// Reads the folders, and saves the whole run in a new one. Nothing is written where they do not belong
/// together or one is missing (merge_shards says which). Throws Error.
void merge_saved(const std::vector<std::string>& directories, bool allow_missing, const std::string& out);

}  // namespace infermeter
