// libFuzzer's entry, once for each target.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  infermeter::fuzz::INFERMETER_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
