// Bits from the kernel that nobody can foresee: for identities and nonces, never for what a seed decides. Any
// thread.
#pragma once

#include <cstdint>

namespace infermeter {

/// 64 of them. Not std::random_device: linked statically it needs arc4random, so glibc 2.36.
std::uint64_t system_entropy();

}  // namespace infermeter
