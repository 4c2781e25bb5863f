#include "protocol/http/response_headers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "model/rate_limits.hpp"
#include "protocol/http/outcome.hpp"

namespace infermeter {
namespace {

// In order of preference: the application's own id, then ids of the proxies in front of it.
constexpr std::array<std::string_view, 7> kRequestIdHeaders{
    "x-request-id",    "request-id",      "x-generation-id", "x-amzn-requestid",
    "apim-request-id", "x-ms-request-id", "cf-ray"};

constexpr std::size_t kValueBytes = 256;

constexpr std::array<std::string_view, 6> kPrefixes{"x-ratelimit-",     "anthropic-ratelimit-",
                                                    "ratelimit-",       "x-ratelimitbysize-",
                                                    "ratelimitbysize-", "x-tokenlimit-"};
constexpr std::size_t kMost = 32;
constexpr std::size_t kNameBytes = 80, kLimitValueBytes = 120;
constexpr std::string_view kReset = "reset";

}  // namespace

void ResponseHeaders::add(std::string_view name, std::string_view value) {
  value = trim(value);
  if (equals_ignoring_case(name, "content-type")) {
    content_type = lower_case(value.substr(0, kValueBytes));
  } else if (equals_ignoring_case(name, "content-encoding")) {
    compressed_ = !value.empty() && !equals_ignoring_case(value, "identity");
  } else if (equals_ignoring_case(name, "retry-after")) {
    retry_after = value.substr(0, kValueBytes);
  } else if (equals_ignoring_case(name, "retry-after-ms")) {
    retry_after_ms = value.substr(0, kValueBytes);
  } else if (equals_ignoring_case(name, "date")) {
    date = value.substr(0, kValueBytes);
  } else {
    add_request_id(name, value);
    const std::string lower = lower_case(name);
    timing.add_header(lower, value, secrets_);
    limits.add(lower, value, secrets_);
  }
}

void ResponseHeaders::add_request_id(std::string_view name, std::string_view value) {
  const auto same = [name](std::string_view known) { return equals_ignoring_case(known, name); };
  const auto found = std::find_if(kRequestIdHeaders.begin(), kRequestIdHeaders.end(), same);
  const auto rank = static_cast<std::size_t>(found - kRequestIdHeaders.begin());
  if (found == kRequestIdHeaders.end() || value.empty() || rank >= request_id_rank_) return;
  request_id_rank_ = rank;
  request_id = one_line(secrets_.mask(std::string(value)), kValueBytes);
}

bool ResponseHeaders::is_lines() const {
  return content_type.find("ndjson") != std::string::npos ||
         content_type.find("jsonl") != std::string::npos ||
         content_type.find("json-lines") != std::string::npos;
}

void RateLimits::add(std::string_view name, std::string_view value, const Secrets& secrets) {
  const auto known = [name](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::none_of(kPrefixes.begin(), kPrefixes.end(), known)) return;
  if (name.size() > kNameBytes || headers_.size() >= kMost) return;
  const std::string shown = is_decimal(value) ? std::string(value) : secrets.mask(std::string(value));
  headers_.emplace_back(secrets.mask_written(std::string(name)), one_line(shown, kLimitValueBytes));
}

std::optional<std::int64_t> RateLimits::wait_ms(std::string_view date) const {
  std::optional<std::int64_t> longest_used_up, shortest;
  // Azure sends -1 and 0 for unknown.
  const auto wait = [date](std::string_view reset) { return reset_after_ms(reset, date).value_or(0); };
  for (const auto& limit : used_up_limits(headers_)) {
    if (const auto ms = wait(limit.reset); ms > 0)
      longest_used_up = std::max(longest_used_up.value_or(0), ms);
  }
  for (const auto& [name, value] : headers_) {
    if (name.find(kReset) == std::string::npos) continue;
    if (const auto ms = wait(value); ms > 0) shortest = std::min(shortest.value_or(ms), ms);
  }
  return longest_used_up ? longest_used_up : shortest;
}

}  // namespace infermeter
