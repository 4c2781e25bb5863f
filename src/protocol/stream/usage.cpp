#include "protocol/stream/usage.hpp"

#include <algorithm>

#include "protocol/stream/answer_bounds.hpp"

namespace infermeter {
namespace {

std::int64_t rank(const Usage& usage) { return usage.completion.value_or(-1); }

// Ollama's completions report zeros on every event: beside events with tokens this is not a count.
bool is_zero(const Usage& usage, const RequestRecord& record) {
  return usage.completion == 0 && record.events > 0;
}

// What the total shows beside the other counts: an answer that is not counted by itself, cached tokens that
// the prompt leaves out (Anthropic's, through gateways), or (Gemini) thoughts that no other count holds.
Usage completed(Usage usage) {
  if (!usage.total || usage.prompt.value_or(0) <= 0) return usage;
  const std::int64_t beyond = *usage.total - *usage.prompt - usage.completion.value_or(0);
  if (beyond <= 0) return usage;
  const std::int64_t cache = usage.cached.value_or(0) + usage.cache_written.value_or(0);
  if (!usage.completion) {
    usage.completion = beyond;
  } else if (beyond == cache || beyond == usage.cached || beyond == usage.cache_written) {
    *usage.prompt += beyond;
  } else if (usage.reasoning.value_or(0) == 0 && usage.completion > 0) {
    usage.reasoning = beyond;
  }
  return usage;
}

bool exceeds(const std::optional<std::int64_t>& part, std::int64_t whole) { return part.value_or(0) > whole; }

// Counts bound each other and are bounded by what was asked for. Hidden tokens are fair where the limit
// allows them, whatever the number of events.
bool is_odd(const Usage& usage, const TokenEvidence& evidence) {
  constexpr std::uint64_t most_of_any = std::uint64_t{1} << 50;
  const std::uint64_t limit = std::min(evidence.most_tokens, most_of_any);
  const std::int64_t most = limit > 0 ? static_cast<std::int64_t>(kBeyondLimit * limit) : kMostTokens;
  const std::int64_t reasoning = usage.reasoning.value_or(0), output = usage.completion.value_or(0);
  const bool added = excludes_reasoning(usage);
  if (usage.odd || output > most || reasoning > most || (added && output + reasoning > most)) return true;
  if (evidence.event_tokens_known && evidence.event_tokens > static_cast<std::uint64_t>(most)) return true;
  if (exceeds(usage.prompt, kMostPromptTokens) || usage.odd_total) return true;
  if (usage.completion && reasoning > output && !added) return true;
  if (usage.completion && exceeds(usage.rejected_prediction, output)) return true;
  const std::int64_t prompt = usage.prompt.value_or(0) > 0 ? *usage.prompt : kMostPromptTokens;
  return exceeds(usage.cached, prompt) || exceeds(usage.cache_written, prompt) ||
         exceeds(evidence.cached_beside, prompt);
}

// Nothing of it is believed, also not what it said of single events.
TokenEvidence without_usage(TokenEvidence evidence, RequestRecord& record) {
  record.flags.set(Flag::odd_usage);
  evidence.usage.reset();
  evidence.cached_beside.reset();
  evidence.event_tokens_known = false;
  return evidence;
}

void take_usage(const TokenEvidence& evidence, RequestRecord& record) {
  const Usage usage = completed(*evidence.usage);
  record.cost = usage.cost;
  // Of a prompt that was sent, 0 is no count.
  if (usage.prompt.value_or(0) > 0) record.prompt_tokens = usage.prompt;
  if (is_zero(usage, record)) return record.flags.set(Flag::zero_usage);
  record.cached_tokens = usage.cached;
  record.cache_write_tokens = usage.cache_written;
  record.reasoning_tokens = usage.reasoning;
  if (!usage.completion) return;
  record.output_tokens = usage.completion;
  record.token_source = evidence.usage_is_final ? TokenSource::usage : TokenSource::continuous_usage;
  if (excludes_reasoning(usage)) {
    *record.output_tokens += *usage.reasoning;
    record.flags.set(Flag::usage_excludes_reasoning);
  }
  const std::int64_t limit = std::int64_t{evidence.max_tokens} * std::max(evidence.choices, 1u);  // < 2⁴⁰
  if (limit > 0 && *usage.completion > limit) record.flags.set(Flag::limit_ignored);
}

void take_event_tokens(const TokenEvidence& evidence, RequestRecord& record) {
  if (record.output_tokens || !evidence.event_tokens_known || record.events == 0) return;
  record.output_tokens = static_cast<std::int64_t>(evidence.event_tokens);
  record.token_source = TokenSource::token_ids;
}

// Hidden reasoning was generated before the first token, and rejected predictions never left the server:
// neither counts in the speed of the stream (METRICS.md, "Reasoning").
void take_unstreamed(const TokenEvidence& evidence, RequestRecord& record) {
  const std::int64_t reasoning = record.reasoning_tokens.value_or(0);
  if (evidence.reasoning_seen && evidence.streamed) {
    record.reasoning = Reasoning::streamed;
  } else if (reasoning > 0 || evidence.reasoning_seen) {
    record.reasoning = Reasoning::hidden;
  }
  if (!evidence.streamed || !record.output_tokens || !evidence.usage) return;
  std::int64_t unstreamed = record.reasoning == Reasoning::hidden ? reasoning : 0;
  unstreamed += evidence.usage->rejected_prediction.value_or(0);
  unstreamed = std::min(unstreamed, *record.output_tokens);
  if (unstreamed > 0) record.unstreamed_tokens = unstreamed;
}

// Continuous usage includes hidden reasoning in the first event's difference.
void leave_hidden_out(std::int64_t& sum, std::int64_t streamed, RequestRecord& record) {
  const std::int64_t hidden = record.unstreamed_tokens.value_or(0);
  if (sum <= streamed || record.gap_tokens.empty() || record.gap_tokens.front() <= hidden) return;
  record.gap_tokens.front() -= static_cast<std::uint32_t>(hidden);
  sum -= hidden;
}

// gap_tokens is omitted if all are 1, unless N alone does not show that (N is neither k nor k + 1).
void settle_gap_tokens(const TokenEvidence& evidence, RequestRecord& record) {
  auto& tokens = record.gap_tokens;
  if (!evidence.event_tokens_known) return tokens.clear();
  if (!record.output_tokens) return;
  const std::int64_t streamed = *record.output_tokens - record.unstreamed_tokens.value_or(0);
  auto sum = static_cast<std::int64_t>(evidence.event_tokens);
  leave_hidden_out(sum, streamed, record);
  if (sum > streamed) return tokens.clear();  // the two contradict each other: the final count is used
  const bool ones = std::all_of(tokens.begin(), tokens.end(), [](std::uint32_t m) { return m == 1; });
  if (!ones) return;
  const std::int64_t left = streamed - record.events;
  tokens.clear();
  if (left != 0 && left != 1) tokens.assign(record.events, 1);
}

}  // namespace

bool replaces(const Usage& next, const std::optional<Usage>& kept) {
  return !kept || rank(next) >= rank(*kept);
}

Usage continued(const Usage& next, const std::optional<Usage>& kept) {
  Usage out = next;
  if (!kept) return out;
  // An empty optional compares less than any number.
  out.prompt = std::max(next.prompt, kept->prompt);
  out.cached = std::max(next.cached, kept->cached);
  out.cache_written = std::max(next.cache_written, kept->cache_written);
  if (!next.completion) out.completion = kept->completion;
  if (!next.reasoning) out.reasoning = kept->reasoning;
  if (!next.cost) out.cost = kept->cost;
  out.odd = next.odd || kept->odd;
  return out;
}

bool contradicts_total(const Usage& usage) {
  if (usage.total.value_or(0) <= 0) return false;  // 0 is no count
  const std::int64_t total = *usage.total;
  if (exceeds(usage.prompt, total) || exceeds(usage.completion, total)) return true;
  // What servers leave out of the total although it is in the other counts.
  const std::int64_t left_out = usage.cached.value_or(0) + usage.cache_written.value_or(0) +
                                usage.reasoning.value_or(0) + usage.rejected_prediction.value_or(0);
  return usage.prompt.value_or(0) + usage.completion.value_or(0) - total > left_out;
}

bool excludes_reasoning(const Usage& usage) {
  const std::int64_t reasoning = usage.reasoning.value_or(0);
  if (reasoning <= 0 || !usage.completion) return false;
  if (!usage.total) return reasoning > *usage.completion;
  return *usage.total == usage.prompt.value_or(0) + *usage.completion + reasoning;
}

void settle_tokens(const TokenEvidence& given, RequestRecord& record) {
  const bool odd = is_odd(given.usage ? completed(*given.usage) : Usage{}, given);
  const TokenEvidence evidence = odd ? without_usage(given, record) : given;
  if (evidence.usage) take_usage(evidence, record);
  take_event_tokens(evidence, record);
  take_unstreamed(evidence, record);
  settle_gap_tokens(evidence, record);
  if (!record.cached_tokens) record.cached_tokens = evidence.cached_beside;
}

}  // namespace infermeter
