// The endpoints that can be measured. Their codecs are in protocol/endpoints, the simulator's answers in
// sim/api. Plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace infermeter {

/// One row per endpoint: its name (in options and files), its path behind the prefix, and what its answers
/// contain instead of text (empty: text). The end of a URL's path is matched in this order, because
/// /chat/completions ends in /completions too.
// clang-format off
#define INFERMETER_ENDPOINTS(row)           \
  row(chat, "/chat/completions", "")        \
  row(completions, "/completions", "")      \
  row(responses, "/responses", "")          \
  row(messages, "/messages", "")            \
  row(embeddings, "/embeddings", "vectors") \
  row(rerank, "/rerank", "documents")
// clang-format on

#define INFERMETER_ROW(name, path, items) name,
enum class Endpoint : std::uint8_t { INFERMETER_ENDPOINTS(INFERMETER_ROW) };
#undef INFERMETER_ROW

struct EndpointRow {
  Endpoint endpoint;
  std::string_view name, path, items;
};

#define INFERMETER_ROW(name, path, items) EndpointRow{Endpoint::name, #name, path, items},
inline constexpr auto kEndpoints = std::to_array<EndpointRow>({INFERMETER_ENDPOINTS(INFERMETER_ROW)});
#undef INFERMETER_ROW

constexpr const EndpointRow& row_of(Endpoint endpoint) {
  return kEndpoints[static_cast<std::size_t>(endpoint)];
}
constexpr std::string_view name(Endpoint endpoint) { return row_of(endpoint).name; }

/// The content of the answers of the endpoint with this name, as results write it; empty for text and unknown
/// names.
constexpr std::string_view items_of(std::string_view endpoint) {
  for (const auto& row : kEndpoints) {
    if (row.name == endpoint) return row.items;
  }
  return {};
}

}  // namespace infermeter
