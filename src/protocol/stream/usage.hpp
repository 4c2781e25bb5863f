// Token counts as servers report them (STREAMING.md, rule 8), and how they are entered into a record. Pure
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// One usage object, in any spelling.
struct Usage {
  std::optional<std::int64_t> prompt, completion, total, reasoning, cached, rejected_prediction;
  std::optional<std::int64_t> cache_written;  // Anthropic: input_tokens exclude these, and cached ones
  std::optional<double> cost;                 // as the server reports it, in its own currency
  bool odd = false;        // one of its counts is negative, no whole number, or beyond any count
  bool odd_total = false;  // of the object itself, before it was completed by another
};

/// True if `next` replaces `kept`: the larger completion count wins, on a tie the later one. They are never
/// summed.
bool replaces(const Usage& next, const std::optional<Usage>& kept);

/// `next`, completed by fields of `kept` that it does not repeat: each count of a cumulative usage only
/// grows.
Usage continued(const Usage& next, const std::optional<Usage>& kept);

/// True if one object's total is below its prompt or its output alone, or below both together by more than
/// its cached tokens, reasoning and rejected predictions, which some servers leave out of it.
bool contradicts_total(const Usage& usage);

/// True if completion_tokens exclude reasoning tokens (xAI, Gemini).
bool excludes_reasoning(const Usage& usage);

/// What a complete response showed about its tokens.
struct TokenEvidence {
  std::optional<Usage> usage;       // the usage that was kept
  bool usage_is_final = false;      // it came with or after the finish, not only with a token
  bool reasoning_seen = false;      // some event carried reasoning
  bool streamed = true;             // false: one non-streamed body
  bool event_tokens_known = false;  // every token-bearing event gave its number of tokens …
  std::uint64_t event_tokens = 0;   // … and this is their sum
  std::uint32_t choices = 1;
  std::uint32_t max_tokens = 0;               // requested per choice; 0: unknown
  std::uint64_t most_tokens = 0;              // StreamOptions::most_tokens
  std::optional<std::int64_t> cached_beside;  // cached tokens that came beside usage
};

/// Fills the record's token counts, their source, its reasoning and the related flags; finalizes gap_tokens.
void settle_tokens(const TokenEvidence& evidence, RequestRecord& record);

}  // namespace infermeter
