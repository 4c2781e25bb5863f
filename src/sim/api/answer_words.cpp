#include "sim/api/answer_words.hpp"

#include "infermeter/base/random.hpp"

namespace infermeter::sim {

AnswerWords::AnswerWords(std::uint64_t number, std::uint32_t choice) : first_(mix64(number) + choice) {}

std::size_t AnswerWords::index(std::uint32_t position) const {
  return (first_ + 7U * std::uint64_t{position}) % one_token_words().size();
}

std::string_view AnswerWords::word(std::uint32_t position) const {
  return one_token_words()[index(position)];
}

void AnswerWords::append_tokens(std::uint32_t count, Tokens& out) const {
  const auto ids = one_token_ids();
  out.reserve(out.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(ids[index(i)]);
}

}  // namespace infermeter::sim
