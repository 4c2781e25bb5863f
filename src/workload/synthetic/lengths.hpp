// Lengths that vary from request to request: how people write them, and the number that a request draws.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The whole text of a file that an option names; throws where it cannot be read.
using ReadText = std::function<std::string(const std::string& path)>;

/// `512`, `4k`, `uniform:1k,8k`, `normal:512,64`, `lognormal:512,0.5` (median and sigma), pairs of length and
/// weight `128:0.7,2k:0.3`, `histogram:FILE` (lines `tokens weight`, blank or comma between, # comments).
/// Each length is at least 1. Throws UsageError naming `option`, the value and the rule.
Lengths parse_lengths(std::string_view option, std::string_view text, const ReadText& read_file);

/// The same, and `2,6` for any whole number from 2 to 6: of --turns.
Lengths parse_turns(std::string_view option, std::string_view text, const ReadText& read_file);

/// In milliseconds: `2s`, `uniform:1s,3s`, `normal:2s,500ms`, `lognormal:2s,0.5`, `1s:0.7,5s:0.3`; `0` is
/// none.
Lengths parse_durations(std::string_view option, std::string_view text);

/// As people write them: "4k", "uniform:1k,8k", "lognormal:2s,0.5"; of a long histogram its size and mean.
std::string lengths_text(const Lengths& lengths);
std::string durations_text(const Lengths& lengths);

/// What a number is drawn for: numbers of different uses are independent of one another.
enum class Draw : std::uint8_t { input_tokens, output_tokens, turns, think_time };

/// The number of a request: the same for the same seed, index, turn and use, whatever was drawn before.
/// Rounded to a whole one, and no less than `least`.
std::uint32_t draw_length(const Lengths& lengths, Draw use, std::uint64_t seed, std::uint64_t index,
                          std::uint32_t turn = 0, std::uint32_t least = 1);

}  // namespace infermeter
