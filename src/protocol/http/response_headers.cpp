#include "protocol/http/response_headers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace infermeter {
namespace {

// Best first: the application's own id, then that of what stands before it.
constexpr std::array<std::string_view, 7> kRequestIdHeaders{
    "x-request-id",    "request-id",      "x-generation-id", "x-amzn-requestid",
    "apim-request-id", "x-ms-request-id", "cf-ray"};

constexpr std::size_t kValueBytes = 256;

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
    timing.add_header(lower, value.substr(0, kValueBytes));
    limits.add(lower, value);
  }
}

void ResponseHeaders::add_request_id(std::string_view name, std::string_view value) {
  const auto same = [name](std::string_view known) { return equals_ignoring_case(known, name); };
  const auto found = std::find_if(kRequestIdHeaders.begin(), kRequestIdHeaders.end(), same);
  const auto rank = static_cast<std::size_t>(found - kRequestIdHeaders.begin());
  if (found == kRequestIdHeaders.end() || value.empty() || rank >= request_id_rank_) return;
  request_id_rank_ = rank;
  request_id = one_line(value, kValueBytes);
}

bool ResponseHeaders::is_lines() const {
  return content_type.find("ndjson") != std::string::npos ||
         content_type.find("jsonl") != std::string::npos ||
         content_type.find("json-lines") != std::string::npos;
}

}  // namespace infermeter
