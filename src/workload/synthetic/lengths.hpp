// Lengths that vary from request to request: the notation of options, and the number drawn for a request.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Reads a file that an option names; throws if it cannot be read.
using ReadText = std::function<std::string(const std::string& path)>;

/// `512`, `4k`, `uniform:1k,8k`, `normal:512,64`, `lognormal:512,0.5` (median and sigma), pairs of length and
/// weight `128:0.7,2k:0.3`, `histogram:FILE` (lines `tokens weight`, blank or comma between, # comments).
/// Each length is at least 1. Throws UsageError naming `option`, the value and the rule.
Lengths parse_lengths(std::string_view option, std::string_view text, const ReadText& read_file);

/// The same, and `2,6` for any whole number from 2 to 6: for --turns.
Lengths parse_turns(std::string_view option, std::string_view text, const ReadText& read_file);

/// In milliseconds: `2s`, `uniform:1s,3s`, `normal:2s,500ms`, `lognormal:2s,0.5`, `1s:0.7,5s:0.3`; `0` means
/// none.
Lengths parse_durations(std::string_view option, std::string_view text);

/// In the options' notation: "4k", "uniform:1k,8k", "lognormal:2s,0.5"; for a long histogram its size and
/// mean.
std::string lengths_text(const Lengths& lengths);
std::string durations_text(const Lengths& lengths);

/// The purpose of a drawn number: numbers for different purposes are independent.
enum class Draw : std::uint8_t { input_tokens, output_tokens, turns, think_time };

/// The number for a request: the same for the same seed, index, turn and use, whatever was drawn before.
/// Rounded to a whole number, and at least `least`.
std::uint32_t draw_length(const Lengths& lengths, Draw use, std::uint64_t seed, std::uint64_t index,
                          std::uint32_t turn = 0, std::uint32_t least = 1);

}  // namespace infermeter
