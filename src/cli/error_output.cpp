#include "cli/error_output.hpp"

#include <cstdio>

namespace infermeter {

void write_error_output(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace infermeter
