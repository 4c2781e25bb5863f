#include "sim/engine/speculation.hpp"

namespace infermeter::sim {

std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random) {
  std::uint32_t accepted = 0;
  while (accepted < drafts && random.uniform() < alpha) ++accepted;
  return accepted;
}

}  // namespace infermeter::sim
