// Tokens of prompts as the tests count them.
#pragma once

#include <algorithm>
#include <string_view>

namespace infermeter::test {

/// Words and full stops, as a typical tokenizer splits them.
inline std::size_t tokens_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, ' ') + 1 + std::ranges::count(text, '.'));
}

}  // namespace infermeter::test
