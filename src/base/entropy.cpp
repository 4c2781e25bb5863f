#include "base/entropy.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace infermeter {

std::uint64_t system_entropy() {
  std::uint64_t bits = 0;
  if (getentropy(&bits, sizeof bits) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot read random bits");
  return bits;
}

}  // namespace infermeter
