#include "sim/engine/draws.hpp"

#include <cmath>

namespace infermeter::sim {

nanoseconds jittered(nanoseconds mean, double cv, Random& random) {
  if (cv <= 0) return mean;
  const double variance = std::log1p(cv * cv);
  const double factor = std::exp(std::sqrt(variance) * random.normal() - variance / 2);
  return nanoseconds(std::llround(static_cast<double>(mean.count()) * factor));
}

nanoseconds scaled(nanoseconds mean, double scale) {
  return nanoseconds(std::llround(static_cast<double>(mean.count()) * scale));
}

std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random) {
  std::uint32_t accepted = 0;
  while (accepted < drafts && random.uniform() < alpha) ++accepted;
  return accepted;
}

}  // namespace infermeter::sim
