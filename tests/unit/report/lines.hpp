// Lines of rendered text.
#pragma once

#include <algorithm>
#include <string_view>

#include "report/text/text.hpp"

namespace infermeter::test {

inline std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    longest = std::max(longest, columns(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace infermeter::test
