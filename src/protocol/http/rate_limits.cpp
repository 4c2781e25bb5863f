#include "protocol/http/rate_limits.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "protocol/http/outcome.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::string_view, 3> kPrefixes{"x-ratelimit-", "anthropic-ratelimit-", "ratelimit-"};
constexpr std::size_t kMost = 32;
constexpr std::size_t kNameBytes = 80, kLimitValueBytes = 120;
constexpr std::string_view kReset = "reset", kRemaining = "remaining";

}  // namespace

void RateLimits::add(std::string_view name, std::string_view value) {
  const auto known = [name](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::none_of(kPrefixes.begin(), kPrefixes.end(), known)) return;
  if (name.size() > kNameBytes || headers_.size() >= kMost) return;
  headers_.emplace_back(name, one_line(value, kLimitValueBytes));
}

std::string RateLimits::json() const {
  if (headers_.empty()) return {};
  std::string out;
  for (const auto& [name, value] : headers_) {
    out += out.empty() ? "{\"" : ",\"";
    append_json_escaped(out, name);
    out += "\":\"";
    append_json_escaped(out, value);
    out += '"';
  }
  return out + '}';
}

std::optional<std::int64_t> RateLimits::wait_ms(std::string_view date) const {
  std::optional<std::int64_t> longest_used_up, shortest;
  for (const auto& [name, value] : headers_) {
    if (name.find(kReset) == std::string::npos) continue;
    const auto wait = reset_after_ms(value, date);
    if (wait.value_or(0) <= 0) continue;  // Azure's -1 and 0 say nothing
    shortest = std::min(shortest.value_or(*wait), *wait);
    if (used_up(name)) longest_used_up = std::max(longest_used_up, wait);
  }
  return longest_used_up ? longest_used_up : shortest;
}

// x-ratelimit-reset-tokens belongs to x-ratelimit-remaining-tokens, anthropic-ratelimit-tokens-reset to
// anthropic-ratelimit-tokens-remaining.
bool RateLimits::used_up(std::string_view reset_name) const {
  std::string remaining(reset_name);
  remaining.replace(remaining.find(kReset), kReset.size(), kRemaining);
  return std::any_of(headers_.begin(), headers_.end(), [&remaining](const auto& header) {
    return header.first == remaining && (header.second == "0" || header.second.starts_with('-'));
  });
}

}  // namespace infermeter
