// What an answer says of its tokens, price and times, in each vendor's words. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

/// A request's times in the engine, in wall time.
struct RequestTiming {
  nanoseconds queue{}, prefill{}, decode{};
  std::uint32_t output_tokens = 0;
};

struct Usage {
  std::uint32_t prompt_tokens = 0, completion_tokens = 0;
  std::optional<std::uint32_t> cached_tokens = {};     // of the prompt; known once the engine began
  std::optional<std::uint32_t> reasoning_tokens = {};  // where the answer has reasoning
  std::optional<double> cost = {};                     // as OpenRouter has it
  std::optional<RequestTiming> times = {};             // as Groq has them
};

/// Of chat and completions.
std::string usage_json(const Usage& usage);
/// Of the Responses API.
std::string responses_usage_json(const Usage& usage);
/// Anthropic's, whose input_tokens are those that no cache had.
std::string messages_usage_json(const Usage& usage);
/// Of embeddings: nothing was generated.
std::string embeddings_usage_json(const Usage& usage);

/// vLLM's per-request metrics.
std::string timing_json(const RequestTiming& timing);

}  // namespace infermeter::sim
