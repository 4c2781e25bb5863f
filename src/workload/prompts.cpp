#include "workload/prompts.hpp"

#include "infermeter/base/random.hpp"
#include "workload/synthetic/words.hpp"

namespace infermeter {

std::string make_nonce(std::uint64_t entropy) {
  constexpr std::uint32_t kNonceWords = 4;
  std::string nonce;
  for (std::uint32_t i = 0; i < kNonceWords; ++i) {
    if (i > 0) nonce += ' ';
    nonce += kWords[mix64(entropy + i) >> 32 & (kWordCount - 1)];
  }
  return nonce;
}

}  // namespace infermeter
