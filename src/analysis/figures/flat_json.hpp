// A JSON object of plain values, as a record keeps a few headers, read without a parser's weight. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

/// Keys and values in their order; numbers and literals as they are written, strings without quotes and with
/// \" and \\ resolved. What comes after anything else (a nested value, a fault) is left out.
std::vector<std::pair<std::string, std::string>> read_flat_json(std::string_view object);

}  // namespace infermeter
