// The quantities that inference servers export as metrics, whatever each calls them: one row for each. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace infermeter {

enum class QuantityKind : std::uint8_t {
  gauge,    // a level: requests, tokens …
  share,    // a level that several engines have a mean of (0 to 1, or tokens per step); others are added up
  counter,  // since the server's start
  time      // a histogram of seconds
};

struct ServerQuantity {
  std::string_view name;
  QuantityKind kind = QuantityKind::gauge;
  std::string_view label;      // "Running requests"
  std::string_view means;      // in words, as docs/metrics.md has it
  std::string_view ours = {};  // our figure of the same meaning; it has the network and the client in it
};

std::span<const ServerQuantity> server_quantities();
/// Null for an unknown name.
const ServerQuantity* find_server_quantity(std::string_view name);

}  // namespace infermeter
