// Parts of an answer that several endpoints write: token counts, cost and times in each vendor's format, and
// made-up log probabilities. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

/// A request's times in the engine, in wall time.
struct RequestTiming {
  nanoseconds queue{}, prefill{}, decode{};
  std::uint32_t output_tokens = 0;
};

struct Usage {
  std::uint32_t prompt_tokens = 0, completion_tokens = 0;
  std::optional<std::uint32_t> cached_tokens = {};     // of the prompt; known once the engine has started
  std::optional<std::uint32_t> reasoning_tokens = {};  // where the answer has reasoning
  std::optional<double> cost = {};                     // in OpenRouter's format
  std::optional<RequestTiming> times = {};             // in Groq's format
};

/// For chat and completions.
std::string usage_json(const Usage& usage);
/// For the Responses API.
std::string responses_usage_json(const Usage& usage);
/// For Anthropic, whose input_tokens exclude cached tokens.
std::string messages_usage_json(const Usage& usage);
/// For embeddings: no tokens were generated.
std::string embeddings_usage_json(const Usage& usage);

/// vLLM's per-request metrics.
std::string timing_json(const RequestTiming& timing);

/// [{"token", "logprob", "bytes", "top_logprobs"}, …]: the list that chat and the Responses API have.
void append_logprob_list(std::string& out, std::span<const std::string_view> words, std::uint32_t top);
/// {"text_offset", "token_logprobs", "tokens", "top_logprobs"} of completions; `offset` is the position of
/// the first word in the whole text.
void append_completion_logprobs(std::string& out, std::span<const std::string_view> words, std::uint32_t top,
                                std::size_t offset);

}  // namespace infermeter::sim
