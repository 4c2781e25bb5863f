#include "workload/schedule/mix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMixStream = 2;  // of the seed; arrivals use 1
constexpr std::uint64_t kUsualRound = 100;
constexpr std::uint64_t kLongestRound = 10'000;

/// Normalized to a sum of 1; a class that takes no part has 0.
std::vector<double> normalised(const std::vector<double>& shares) {
  std::vector<double> parts;
  double sum = 0;
  for (const double share : shares) {
    parts.push_back(std::max(0.0, share));
    sum += parts.back();
  }
  for (double& part : parts) part /= sum;
  return parts;
}

bool is_exact(const std::vector<double>& parts, std::uint64_t round) {
  return std::ranges::all_of(parts, [&](double part) {
    const double turns = part * static_cast<double>(round);
    return std::abs(turns - std::round(turns)) < 1e-6;
  });
}

/// The smallest round that gives each class a whole number of turns, repeated as often as it fits into a
/// hundred.
std::uint64_t round_length(const std::vector<double>& parts) {
  std::uint64_t exact = 1;
  while (exact < kLongestRound && !is_exact(parts, exact)) ++exact;
  return exact * std::max<std::uint64_t>(1, kUsualRound / exact);
}

/// Whole turns per class that add up to the round: by largest remainder if the shares are not exact in it.
std::vector<std::uint64_t> whole_turns(const std::vector<double>& parts, std::uint64_t round) {
  std::vector<std::uint64_t> turns;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const double exact = parts[c] * static_cast<double>(round);
    const double whole = std::floor(exact + 1e-6);
    turns.push_back(static_cast<std::uint64_t>(whole));
    remainders.emplace_back(whole - exact, c);
  }
  std::ranges::sort(remainders);
  const std::uint64_t given = std::accumulate(turns.begin(), turns.end(), std::uint64_t{0});
  for (std::uint64_t i = 0; i + given < round; ++i) ++turns[remainders[i % remainders.size()].second];
  return turns;
}

}  // namespace

Mix::Mix(const std::vector<double>& shares, std::uint64_t seed) {
  const std::vector<double> parts = normalised(shares);
  per_round_ = whole_turns(parts, round_length(parts));
  for (std::uint32_t c = 0; c < per_round_.size(); ++c)
    round_.insert(round_.end(), per_round_[c], Turn{c, 0});
  Random random(seed, kMixStream);
  for (std::size_t i = round_.size(); i > 1; --i) std::swap(round_[i - 1], round_[random.below(i)]);
  std::vector<std::uint32_t> seen(per_round_.size(), 0);
  for (Turn& turn : round_) turn.before = seen[turn.traffic_class]++;
}

Mix::Place Mix::at(std::uint64_t index) const {
  const Turn& turn = round_[index % round_.size()];
  return {turn.traffic_class, index / round_.size() * per_round_[turn.traffic_class] + turn.before};
}

}  // namespace infermeter
