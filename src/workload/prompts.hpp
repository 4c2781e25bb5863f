// The run's nonce, and the user's own prompts from a file. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Four short common words, so that its token count is constant: "lamp river stone cloud".
std::string make_nonce(std::uint64_t entropy);

/// The prompts of a --prompt-file: one per line, or JSONL objects with `prompt` (decided by the first line).
/// Empty lines are skipped. Throws UsageError naming file and line number for an invalid one.
std::vector<std::string> parse_prompt_lines(std::string_view file_name, std::string_view content);

}  // namespace infermeter
