// Token counts as servers report them (STREAMING.md, rule 8), and what of them goes into a record. Pure
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// One usage object, whatever its spelling.
struct Usage {
  std::optional<std::int64_t> prompt, completion, total, reasoning, cached, rejected_prediction;
  std::optional<std::int64_t> cache_written;  // Anthropic: beside input_tokens, as are its cached ones
  std::optional<double> cost;                 // as the server says, in its own currency
};

/// True where `next` replaces `kept`: the larger completion count, the later one on a tie. They are never
/// summed.
bool replaces(const Usage& next, const std::optional<Usage>& kept);

/// `next`, and of `kept` what it does not repeat: each count of a cumulative usage only grows.
Usage continued(const Usage& next, const std::optional<Usage>& kept);

/// True where reasoning tokens lie outside of completion_tokens (xAI, Gemini).
bool excludes_reasoning(const Usage& usage);

/// What a whole response showed of its tokens.
struct TokenEvidence {
  std::optional<Usage> usage;       // the one kept
  bool usage_is_final = false;      // it came with or after the finish, not only beside a token
  bool reasoning_seen = false;      // some event carried reasoning
  bool streamed = true;             // false: one whole body
  bool event_tokens_known = false;  // every token-bearing event told its tokens …
  std::uint64_t event_tokens = 0;   // … and these are all of them
  std::uint32_t choices = 1;
  std::uint32_t max_tokens = 0;  // asked for per choice; 0: unknown
};

/// Fills the record's token counts, their source, its reasoning and the flags that belong to them; settles
/// gap_tokens.
void settle_tokens(const TokenEvidence& evidence, RequestRecord& record);

}  // namespace infermeter
