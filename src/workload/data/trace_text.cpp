#include "workload/data/trace_text.hpp"

#include <algorithm>

#include "infermeter/base/random.hpp"

namespace infermeter {
namespace {

// Streams of words that no prompt's own are of: those are mix64 of a small number.
constexpr std::uint64_t kBlockStream = 0xb10c'0000'0000'0000ULL;
constexpr std::uint64_t kTailStream = 0x7a11'0000'0000'0000ULL;

/// The template's tokens count as the first block's, as they did where the trace was taken.
void append_blocks(const SyntheticText& text, const DataItem& item, CountedText& to) {
  const std::uint32_t length = item.turns.front().input_tokens;
  std::uint64_t end = 0;
  for (const std::uint64_t block : item.blocks) {
    end = std::min<std::uint64_t>(end + kTraceBlock, length);
    text.append_words(text.text_tokens(static_cast<std::uint32_t>(end)), mix64(block ^ kBlockStream), to);
  }
}

/// What no other request shares, and a request for a long answer where there is room for both.
void append_tail(const SyntheticText& text, std::uint64_t number, std::uint32_t tokens, CountedText& to) {
  CountedText index;
  text.append_index(number, index);
  // Where that has no room no cache could tell such prompts apart either: it keeps whole blocks of tokens.
  if (to.tokens + index.tokens <= tokens) text.append_index(number, to);
  const std::uint32_t task = text.task_tokens();
  const bool with_task = task > 0 && to.tokens + 2 * task <= tokens;
  text.append_words(with_task ? tokens - task : tokens, mix64(number ^ kTailStream), to);
  if (with_task) text.append_task(to);
}

}  // namespace

CountedText trace_text(const SyntheticText& text, const std::string& nonce, const DataItem& item,
                       std::uint64_t number) {
  const std::uint32_t length = item.turns.front().input_tokens;
  CountedText made;
  text.append_nonce(nonce, made);
  append_blocks(text, item, made);
  if (std::uint64_t{item.blocks.size()} * kTraceBlock < length)
    append_tail(text, number, text.text_tokens(length), made);
  return made;
}

}  // namespace infermeter
