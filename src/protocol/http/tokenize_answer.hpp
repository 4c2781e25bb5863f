// /tokenize, as vLLM, SGLang and llama.cpp offer it: what to ask, and what they answer. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Asks for the tokens of bare text, without a start token. One body for all three servers: each takes the
/// fields it knows.
std::string tokenize_text_body(std::string_view model, std::string_view text);

/// Asks for the tokens of a chat or completions request, through the server's template: of that request's
/// body the fields that decide about its prompt. Empty where the body has neither messages nor a prompt.
std::string tokenize_request_body(std::string_view request_body);

struct TokenizeAnswer {
  std::optional<std::uint32_t> count;  // nothing: no answer of that kind
  std::vector<std::uint32_t> tokens;   // may be empty though there is a count
};

TokenizeAnswer parse_tokenize_answer(std::string_view body);

}  // namespace infermeter
