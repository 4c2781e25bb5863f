// "Did you mean": the known name nearest to a mistyped one. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace infermeter {

/// The candidate with the least edit distance to `name`, if that is at most a third of its length (at least
/// 1).
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// Throws UsageError "<what>: '<name>' is not a known one; did you mean …?", with all known names as advice.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name,
                                 std::span<const std::string> known);

}  // namespace infermeter
