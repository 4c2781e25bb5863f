#include "cli/options/answer_values.hpp"

#include <array>

#include "cli/options/length_values.hpp"
#include "cli/options/text_file.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxChoices = 128;
constexpr std::uint64_t kMaxLogprobs = 20;  // of OpenAI's API
constexpr std::uint64_t kMaxCancelTokens = 10'000'000;

/// JSON text, or the name of a file that holds it.
std::string json_text(const Values& values, std::string_view option) {
  const std::string text = values.text(option);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (is_json || !values.given(option)) return text;
  return read_text_file(values, option);
}

}  // namespace

Answers answers_of(const Values& values) {
  Answers answers;
  answers.output_tokens = lengths_of(values, "output-tokens");
  // Off is an answer too: only where nothing was said does preflight decide.
  if (values.mentioned("exact-output")) answers.exact_output = values.flag("exact-output");
  answers.stream = !values.flag("no-stream");
  answers.extra_body = values.text("extra-body");
  answers.choices = static_cast<std::uint32_t>(values.count("choices", 1, kMaxChoices));
  answers.logprobs = static_cast<std::uint32_t>(values.count("logprobs", 0, kMaxLogprobs));
  answers.reasoning_effort = values.text("reasoning-effort");
  constexpr std::array<std::string_view, 3> kThinking{"unsaid", "on", "off"};
  answers.thinking = static_cast<Thinking>(values.choice("thinking", kThinking));
  answers.tools = json_text(values, "tools");
  answers.json_mode = values.flag("json-mode");
  answers.json_schema = json_text(values, "json-schema");
  return answers;
}

Cancel cancel_of(const Values& values) {
  Cancel cancel;
  cancel.share = parse_share(values.origin("cancel-share"), values.text("cancel-share"));
  if (!values.given("cancel-after")) return cancel;
  std::string text = values.text("cancel-after");
  if (looks_like_duration(text)) {
    cancel.after = values.positive_duration("cancel-after");
    return cancel;
  }
  if (text.ends_with("tokens")) text.resize(text.find_last_not_of(' ', text.size() - 7) + 1);
  const std::uint64_t tokens = parse_count(values.origin("cancel-after"), text);
  if (tokens < 1 || tokens > kMaxCancelTokens)
    values.refuse("cancel-after", "is neither a time such as 150ms nor a number of tokens such as 20");
  cancel.after_tokens = static_cast<std::uint32_t>(tokens);
  return cancel;
}

}  // namespace infermeter
