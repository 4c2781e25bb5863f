// The text of the i-th prompt: the user's own in turn, else synthetic words behind the run's nonce. The same
// seed, nonce and index give the same bytes whatever the number of workers. Pure; any thread may call
// `prompt`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Four short common words, so that its token count is constant: "lamp river stone cloud".
std::string make_nonce(std::uint64_t entropy);

/// A synthetic prompt is the nonce, three words that only this index has, words and full stops up to about
/// `input_tokens` tokens (never fewer than the opening's 7), and from 24 tokens on a last sentence that asks
/// for a long answer. The user's own prompts are left as they are, without nonce.
class PromptSource {
 public:
  PromptSource(const Prompts& prompts, std::uint64_t seed);
  std::string prompt(std::uint64_t index) const;
  /// One that no index gives, short: for preflight and readiness.
  std::string probe() const;

 private:
  Prompts prompts_;
  std::uint64_t seed_;
};

/// Prompts of a --prompt-file: one a line, or JSONL objects with `prompt` (decided by the first line). Empty
/// lines are skipped. Throws UsageError naming file and line number for a bad one.
std::vector<std::string> parse_prompt_lines(std::string_view file_name, std::string_view content);

}  // namespace infermeter
