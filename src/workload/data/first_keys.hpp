// The keys of the first JSON object of a file of which only the beginning is at hand. Private to
// src/workload; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Those of the object that opens first, within an array or not, as they stand (escapes are not resolved), as
/// far as `head` goes.
std::vector<std::string> first_keys(std::string_view head);

}  // namespace infermeter
