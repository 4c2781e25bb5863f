#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "workload/sources.hpp"
#include "workload/synthetic/lengths.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kLeastWithTask = 24;
constexpr std::uint64_t kPrimerIndex = (std::uint64_t{1} << 27) - 1;  // counts downwards: no run uses so many
constexpr std::uint64_t kTurnStride = std::uint64_t{1} << 22;  // 32 turns of four million conversations

class SyntheticSource final : public DrawnSource {
 public:
  explicit SyntheticSource(SourceInputs given)
      : DrawnSource(std::move(given)), text_(inputs().calibration, inputs().seed) {
    const std::uint32_t groups = shared() ? std::max<std::uint32_t>(inputs().prompts.prefix_groups, 1) : 0;
    for (std::uint32_t group = 0; group < groups; ++group) prefixes_.push_back(make_prefix(group));
    if (shared()) need_room();
  }

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const Place here = place(index);
    return turn == 0 ? opening(here) : later(here, turn);
  }

  std::vector<Request> primers() const override {
    std::vector<Request> all;
    for (std::uint32_t group = 0; group < prefixes_.size(); ++group) {
      CountedText text = prefixes_[group];
      text_.append_index(kPrimerIndex - group, text);
      Request request;
      request.messages.push_back({"user", text.text});
      request.output_tokens = 1;
      request.input_tokens = text_.prompt_tokens(text.tokens);
      request.prefix_group = group + 1;
      all.push_back(std::move(request));
    }
    return all;
  }

 private:
  bool shared() const { return inputs().prompts.shared_prefix_tokens > 0; }

  CountedText make_prefix(std::uint32_t group) const {
    const std::uint32_t tokens = text_.part_tokens(inputs().prompts.shared_prefix_tokens);
    CountedText text;
    text_.append_nonce(inputs().nonce, text);
    text_.append_index(group, text);
    if (text.tokens > tokens)
      throw UsageError(fmt::format("--shared-prefix-tokens: {} is too short: at least {}, its opening words",
                                   inputs().prompts.shared_prefix_tokens, text.tokens));
    text_.append_words(tokens, mix64(~std::uint64_t{group}), text);
    return text;
  }

  // The longest prompt must have room for the prefix and for words after it that make it unique.
  void need_room() const {
    CountedText least = prefixes_.front();
    text_.append_index(0, least);
    const std::uint32_t tokens = text_.prompt_tokens(least.tokens);
    if (inputs().input_tokens.most() >= tokens) return;
    throw UsageError(
        fmt::format(
            "--input-tokens: {} has no room for a shared prefix of {} tokens and the prompt's own words",
            lengths_text(inputs().input_tokens), format_count(inputs().prompts.shared_prefix_tokens)),
        fmt::format("The prefix is a part of the prompt: --input-tokens {} or more.", tokens));
  }

  Request opening(const Place& here) const {
    CountedText text;
    const std::size_t group = shared() ? here.number % prefixes_.size() : 0;
    if (shared()) {
      text = prefixes_[group];
    } else {
      text_.append_nonce(inputs().nonce, text);
    }
    text_.append_index(here.number, text);
    const std::uint32_t tokens = input_tokens(here, 0);
    fill(tokens, text_.text_tokens(tokens), mix64(here.number), text);
    Request request = message(std::move(text.text), here, 0);
    request.input_tokens = text_.prompt_tokens(text.tokens);
    request.prefix_group = shared() ? static_cast<std::uint32_t>(group) + 1 : 0;
    return request;
  }

  // Follows the history, so that it needs no nonce; the template's tokens are added to its length.
  Request later(const Place& here, std::uint32_t turn) const {
    CountedText text;
    text_.append_index(here.number + turn * kTurnStride, text);
    const std::uint32_t tokens = input_tokens(here, turn);
    fill(tokens, text_.part_tokens(tokens), mix64(here.number ^ mix64(turn)), text);
    return message(std::move(text.text), here, turn);
  }

  void fill(std::uint32_t asked, std::uint32_t tokens, std::uint64_t stream, CountedText& text) const {
    const std::uint32_t task = text_.task_tokens();
    const bool with_task = asked >= kLeastWithTask && task > 0 && text.tokens + task <= tokens;
    text_.append_words(with_task ? tokens - task : tokens, stream, text);
    if (with_task) text_.append_task(text);
  }

  SyntheticText text_;
  std::vector<CountedText> prefixes_;  // by group
};

}  // namespace

std::unique_ptr<RequestSource> make_synthetic_source(SourceInputs inputs) {
  return std::make_unique<SyntheticSource>(std::move(inputs));
}

}  // namespace infermeter
