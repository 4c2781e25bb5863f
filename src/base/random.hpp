// Seeded random numbers whose sequence is part of the file format: the same seed gives the same schedule and
// the same prompts on every machine and standard library, so the distributions are ours and not <random>'s.
#pragma once

#include <cstdint>
#include <string_view>

namespace infermeter {

/// Mixes 64 bits (SplitMix64's finaliser, Steele et al. 2014): a cheap hash of an index.
std::uint64_t mix64(std::uint64_t x);

/// FNV-1a over bytes, continued from `state`: the schedule hash and the nonce.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t state = 0xcbf29ce484222325ULL);

/// xoshiro256++ (Blackman and Vigna), seeded from (seed, stream): streams are independent of one another.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in {0 … n−1}; n > 0.
  std::uint64_t below(std::uint64_t n);
  /// Mean 1.
  double exponential();
  /// Mean 0, standard deviation 1.
  double normal();
  /// Mean 1 with the given shape k > 0 (CV = 1/√k); Marsaglia and Tsang 2000.
  double gamma_mean_one(double shape);

 private:
  std::uint64_t state_[4];
};

}  // namespace infermeter
