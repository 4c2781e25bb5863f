// The words that answers are made of: one token each, chosen by the request's number, so that the engine's
// prefix cache knows an answer before it is written. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {

class AnswerWords {
 public:
  /// Of the `choice`-th answer to the `number`-th request.
  AnswerWords(std::uint64_t number, std::uint32_t choice);
  /// The word that is the answer's token at `position`, with its leading space; JSON need not escape it.
  std::string_view word(std::uint32_t position) const;
  /// What the tokenizer makes of the first `count` words.
  void append_tokens(std::uint32_t count, Tokens& out) const;

 private:
  std::size_t index(std::uint32_t position) const;
  std::uint64_t first_;
};

}  // namespace infermeter::sim
