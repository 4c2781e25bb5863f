// "Did you mean": the nearest known name to a mistyped one. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace infermeter {

/// The candidate with the least edit distance to `name`, if that is at most a third of its length (at least
/// 1).
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace infermeter
