#include "report/words/difference_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace infermeter {
namespace {

constexpr double kMostLopsided = 2;
constexpr double kManifold = 2;  // from +200 % on people say "three times"

int decimals_for(double half) {
  if (half >= 0.0095) return 0;
  return half >= 0.00095 ? 1 : 2;
}

/// ± would claim what the interval does not: that both sides are as long, or that it holds no change.
bool is_lopsided(const Difference& d) {
  const double below = *d.change - *d.low, above = *d.high - *d.change;
  return std::max(below, above) > kMostLopsided * std::min(below, above) ||
         (below + above) / 2 >= std::abs(*d.change);
}

std::string signed_percent(double change, int decimals) {
  return fmt::format("{}{:.{}f}", change < 0 ? "−" : "+", 100 * std::abs(change), decimals);
}

/// "−2.0 % (−4.9 … −0.8)": the bound next to 0 is not to look like 0.
std::string lopsided_words(const Difference& d, int decimals) {
  decimals = std::max(decimals, decimals_for(std::min(std::abs(*d.low), std::abs(*d.high))));
  return fmt::format("{} % ({} … {})", signed_percent(*d.change, decimals), signed_percent(*d.low, decimals),
                     signed_percent(*d.high, decimals));
}

/// "15× ±2.9", "15× (12 … 24)".
std::string manifold_words(const Difference& d) {
  if (is_lopsided(d)) return fmt::format("{:.3g}× ({:.3g} … {:.3g})", 1 + *d.change, 1 + *d.low, 1 + *d.high);
  return fmt::format("{:.3g}× ±{:.2g}", 1 + *d.change, (*d.high - *d.low) / 2);
}

/// "+5 pts", "−0.3 pts".
std::string points_words(double change) {
  const double points = 100 * std::abs(change);
  return fmt::format("{}{:.{}f} pts", change < 0 ? "−" : "+", points,
                     points < 9.95 && points != std::round(points) ? 1 : 0);
}

}  // namespace

std::string difference_words(const Difference& d) {
  if (d.absolute) return d.change ? points_words(*d.change) : std::string();
  if (!d.change || !d.low || !d.high) return "too few blocks";
  if (d.within_noise) return "no difference";
  if (*d.change >= kManifold) return manifold_words(d);
  const double half = (*d.high - *d.low) / 2;
  const int decimals = decimals_for(half);
  if (is_lopsided(d)) return lopsided_words(d, decimals);
  return fmt::format("{} % ±{:.{}f}", signed_percent(*d.change, decimals), 100 * half, decimals);
}

}  // namespace infermeter
