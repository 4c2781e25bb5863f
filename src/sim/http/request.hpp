// One HTTP request as it was read. A plain value of views, which live as long as the call it is handed to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

struct HttpRequest {
  Instant arrived{};   // by the kernel where it knows, else `received`; when the engine gets it
  Instant received{};  // the whole was read
  std::string_view method, target, body, request_id;
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
  bool http_1_0 = false, keep_alive = true;
  std::uint64_t connection = 0;    // order in which it was accepted, from 0
  bool reused_connection = false;  // it has carried a request before

  /// The first header of that name, whatever its case; empty where there is none.
  std::string_view header(std::string_view name) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    const auto same = [&](const auto& header) {
      return std::ranges::equal(header.first, name, {}, lower, lower);
    };
    const auto found = std::ranges::find_if(headers, same);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

}  // namespace infermeter::sim
