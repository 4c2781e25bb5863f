// What one answer may take (docs/metrics.md, "Bounds"): a server that goes on beyond all reason costs a
// request, not the memory or the time of the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "protocol/stream/stream_reader.hpp"

namespace infermeter {

/// An event above this size is not a token stream.
inline constexpr std::size_t kMostEventBytes = std::size_t{16} << 20;

/// Some servers stream characters, and some count what they hide: up to this many events, and tokens, for
/// each token of the limit.
inline constexpr std::uint64_t kBeyondLimit = 16;
/// Of an answer without a limit: token-bearing events that are read, and tokens that are believed.
inline constexpr std::uint64_t kMostEvents = 1'000'000;
inline constexpr std::int64_t kMostTokens = 10'000'000;
/// Of a request: the longest contexts have 10⁷ tokens, and a batch has several texts.
inline constexpr std::int64_t kMostPromptTokens = 100'000'000;
/// Events of any kind beyond those with tokens: Responses has a dozen around each item of its output.
inline constexpr std::uint64_t kMostOtherEvents = 4096;

/// The JSON text of usage and of each of the server's times, as a record keeps it.
inline constexpr std::size_t kMostRawBytes = std::size_t{64} << 10;
/// Its levels: with those around it the record's line stays readable.
inline constexpr std::size_t kMostRawLevels = 64;
/// More than the JSON of any server's error body; the message is cut to 1 kB later.
inline constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10;
/// An error body that goes on beyond this ends the request.
inline constexpr std::uint64_t kMostErrorBody = 1 << 20;
/// With --save-text and in conversations.
inline constexpr std::size_t kMostTextBytes = kMostEventBytes;

/// Token-bearing events of one answer, of all its choices together.
constexpr std::uint64_t most_events(const StreamOptions& options) {
  return options.most_tokens > 0 ? kBeyondLimit * options.most_tokens : kMostEvents;
}

/// Of a whole answer, not streamed: per token its text and 20 log probabilities, per vector 8,192 numbers of
/// 22 characters for each of up to a few tokens.
constexpr std::size_t most_whole_bytes(const StreamOptions& options, bool generates) {
  constexpr std::size_t base = std::size_t{1} << 20, of_token = std::size_t{4} << 10,
                        of_item = std::size_t{1} << 20, most_items = std::size_t{64} << 20;
  if (!generates) return std::min(most_items, base + of_item * std::max<std::size_t>(options.items, 1));
  if (options.most_tokens == 0) return kMostEventBytes;
  return std::min<std::size_t>(kMostEventBytes, base + of_token * options.most_tokens);
}

}  // namespace infermeter
