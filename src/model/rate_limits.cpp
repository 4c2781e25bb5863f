#include "model/rate_limits.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace infermeter {
namespace {

constexpr std::string_view kRemaining = "remaining", kReset = "reset";
constexpr std::string_view kTokenLimit = "x-tokenlimit-", kMark = "x-";

bool is_used_up(std::string_view value) { return value == "0" || value.starts_with('-'); }

std::string_view value_of(const HeaderValues& headers, std::string_view name) {
  const auto it = std::ranges::find(headers, name, &HeaderValues::value_type::first);
  return it == headers.end() ? std::string_view() : std::string_view(it->second);
}

/// x-ratelimit-reset-tokens belongs to x-ratelimit-remaining-tokens, anthropic-ratelimit-tokens-reset to
/// anthropic-ratelimit-tokens-remaining. Without one of its own, a limit has that of its family
/// (x-ratelimit-reset of x-ratelimit-remaining-dynamic, Mistral's ratelimitbysize-reset of
/// x-ratelimitbysize-remaining-minute); Together's x-tokenlimit-* have the x-ratelimit-reset.
std::string_view reset_of(const HeaderValues& headers, std::string_view remaining) {
  const auto at = remaining.find(kRemaining);
  const auto family = std::string(remaining.substr(0, at)) + std::string(kReset);
  std::array<std::string, 4> names{
      family + std::string(remaining.substr(at + kRemaining.size())), family,
      family.starts_with(kMark) ? family.substr(kMark.size()) : std::string(),
      remaining.starts_with(kTokenLimit) ? std::string("x-ratelimit-reset") : std::string()};
  for (const auto& name : names) {
    if (const auto value = value_of(headers, name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

std::vector<UsedUpLimit> used_up_limits(const HeaderValues& headers) {
  std::vector<UsedUpLimit> out;
  for (const auto& [name, value] : headers) {
    if (name.find(kRemaining) != std::string::npos && is_used_up(value))
      out.push_back({name, reset_of(headers, name)});
  }
  return out;
}

}  // namespace infermeter
