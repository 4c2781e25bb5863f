// Merges the saved shards of one run into one saved run.
#pragma once

#include <string>
#include <vector>

namespace infermeter {

/// Reads the folders and saves the merged run in a new one. Writes nothing if they do not belong together or
/// one is missing (merge_shards says which). Throws Error.
void merge_saved(const std::vector<std::string>& directories, bool allow_missing, const std::string& out);

}  // namespace infermeter
