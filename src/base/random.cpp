#include "base/random.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace infermeter {

std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t state) {
  for (const char c : bytes) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return state;
}

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = mix64(seed) ^ mix64(mix64(stream) + 1);
  for (auto& word : state_) word = x = mix64(x);
}

std::uint64_t Random::next() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

// Lemire's multiply-shift; its bias for n far below 2^64 is beyond anything a benchmark could see.
std::uint64_t Random::below(std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
}

double Random::exponential() { return -std::log1p(-uniform()); }

// Box–Muller; the second value is discarded so that each call always consumes two numbers.
double Random::normal() {
  const double u = 1.0 - uniform();
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

double Random::gamma_mean_one(double shape) {
  if (shape < 1.0) {
    const double u = 1.0 - uniform();
    return gamma_mean_one(shape + 1.0) * (shape + 1.0) * std::pow(u, 1.0 / shape) / shape;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v / shape;
  }
}

}  // namespace infermeter
