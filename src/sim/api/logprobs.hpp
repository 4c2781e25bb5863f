// Made-up log probabilities, one entry a token, in the shapes of chat and of completions. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace infermeter::sim {

/// [{"token", "logprob", "bytes", "top_logprobs"}, …]: the list that chat and the Responses API have.
void append_logprob_list(std::string& out, std::span<const std::string_view> words, std::uint32_t top);
/// {"text_offset", "token_logprobs", "tokens", "top_logprobs"} of completions; `offset` is the position of
/// the first word in the whole text.
void append_completion_logprobs(std::string& out, std::span<const std::string_view> words, std::uint32_t top,
                                std::size_t offset);

}  // namespace infermeter::sim
