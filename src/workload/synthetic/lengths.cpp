#include "workload/synthetic/lengths.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace infermeter {
namespace {

constexpr double kLongest = 1e9;  // bounds lognormal draws with a huge sigma: no overflow

std::uint32_t by_weight(const Lengths& lengths, double uniform) {
  double sum = 0;
  for (const auto& entry : lengths.weighted) sum += entry.second;
  double left = uniform * sum;
  for (const auto& [value, weight] : lengths.weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  return lengths.weighted.empty() ? 0 : lengths.weighted.back().first;
}

double drawn(const Lengths& lengths, Random random) {
  switch (lengths.kind) {
    case Lengths::Kind::fixed:
      break;
    case Lengths::Kind::uniform:  // whole numbers, inclusive
      return std::floor(lengths.a + random.uniform() * (lengths.b - lengths.a + 1));
    case Lengths::Kind::normal:
      return lengths.a + lengths.b * random.normal();
    case Lengths::Kind::lognormal:
      return lengths.a * std::exp(lengths.b * random.normal());
    case Lengths::Kind::weighted:
      return by_weight(lengths, random.uniform());
  }
  return lengths.a;
}

}  // namespace

std::uint32_t draw_length(const Lengths& lengths, Draw use, std::uint64_t seed, std::uint64_t index,
                          std::uint32_t turn, std::uint32_t least) {
  // A separate seed for each use and turn: the words of the prompt with this index use `seed` itself.
  const std::uint64_t own =
      mix64(seed ^ mix64((std::uint64_t{turn} << 8) + static_cast<std::uint8_t>(use) + 1));
  const double value = std::clamp(drawn(lengths, Random(own, index)), 0.0, kLongest);
  return std::max(least, static_cast<std::uint32_t>(std::llround(value)));
}

}  // namespace infermeter
