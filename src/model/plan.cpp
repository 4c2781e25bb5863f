#include "infermeter/model/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace infermeter {

double Lengths::mean() const {
  switch (kind) {
    case Kind::fixed:
    case Kind::normal:
      return a;
    case Kind::uniform:
      return (a + b) / 2;
    case Kind::lognormal:
      return a * std::exp(b * b / 2);
    case Kind::weighted:
      break;
  }
  double sum = 0, weights = 0;
  for (const auto& [value, weight] : weighted) {
    sum += value * weight;
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

double Lengths::most() const {
  constexpr double kFar = 4;  // standard deviations: 3 draws in 100,000 lie beyond
  switch (kind) {
    case Kind::fixed:
      return a;
    case Kind::uniform:
      return b;
    case Kind::normal:
      return a + kFar * b;
    case Kind::lognormal:
      return a * std::exp(kFar * b);
    case Kind::weighted:
      break;
  }
  double most = 0;
  for (const auto& [value, weight] : weighted) most = std::max(most, static_cast<double>(value));
  return most;
}

std::uint64_t Shard::share_of_slots(std::uint64_t n, std::uint64_t slots) const {
  return n / slots * share(slots) + share(n % slots);
}

Load own_part(const Load& load, Shard shard) {
  Load part = load;
  if (shard.whole()) return part;
  part.concurrency = static_cast<std::uint32_t>(shard.share(load.concurrency));
  part.max_in_flight = static_cast<std::uint32_t>(shard.share(load.max_in_flight));
  if (load.rate) part.rate = *load.rate / shard.of;
  if (!load.requests) return part;
  const std::uint64_t warmup = load.warmup_requests.value_or(0);
  part.requests = load.open_loop() ? shard.share(*load.requests)
                                   : shard.share_of_slots(warmup + *load.requests, load.concurrency) -
                                         shard.share_of_slots(warmup, load.concurrency);
  return part;
}

double token_cost(const BilledTokens& tokens, const Prices& prices) {
  constexpr double kMillion = 1e6;
  const double input = prices.input_per_million.value_or(0);
  return ((tokens.prompt - tokens.cached - tokens.cache_write) * input +
          tokens.cached * prices.cached_per_million.value_or(input) +
          tokens.cache_write * prices.cache_write_per_million.value_or(input) +
          tokens.output * prices.output_per_million.value_or(0)) /
         kMillion;
}

}  // namespace infermeter
