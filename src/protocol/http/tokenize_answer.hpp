// Requests and answers of /tokenize in vLLM, SGLang and llama.cpp. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Requests the tokens of bare text, without a start token. One body for all three servers: each reads the
/// fields it knows.
std::string tokenize_text_body(std::string_view model, std::string_view text);

/// Requests the tokens of a chat or completions request, through the server's template: the fields of that
/// request's body that affect its prompt. Empty if the body has neither messages nor a prompt.
std::string tokenize_request_body(std::string_view request_body);

struct TokenizeAnswer {
  std::optional<std::uint32_t> count;  // nothing: not an answer of that kind
  std::vector<std::uint32_t> tokens;   // may be empty even if there is a count
};

TokenizeAnswer parse_tokenize_answer(std::string_view body);

}  // namespace infermeter
