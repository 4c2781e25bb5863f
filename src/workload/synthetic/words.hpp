// The words that synthetic prompts and nonces are made of.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace infermeter {

/// A power of two: nine random bits choose a word.
inline constexpr std::size_t kWordCount = 512;
inline constexpr unsigned kWordBits = 9;
static_assert(kWordCount == std::size_t{1} << kWordBits);

/// Common English words of three to six letters, in alphabetical order and part of the format: another list
/// gives other prompts for the same seed. Each is one token, alone and behind a space, in cl100k, o200k,
/// Llama 2, Llama 3 and Mistral (all 777 candidates were tried; 679 held).
extern const std::array<std::string_view, kWordCount> kWords;

}  // namespace infermeter
