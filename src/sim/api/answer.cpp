#include "sim/api/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {

Answer::Answer(GenerationSetup setup)
    : setup_(std::move(setup)), streaming_(setup_.request.stream && !setup_.quirks.not_stream) {
  for (std::uint32_t i = 0; i < setup_.output_tokens.size(); ++i)
    choices_.push_back({AnswerWords(setup_.number, i)});
}

bool Answer::typed() const { return endpoint().traits().typed; }

void Answer::finish(std::uint32_t index, const RequestTruth& truth) {
  choices_[index].truth = truth;
  choices_[index].cached = truth.cached_tokens;
}

bool Answer::all_finished() const {
  return std::all_of(choices_.begin(), choices_.end(), [](const Choice& c) { return c.truth.has_value(); });
}

Phase Answer::phase_at(std::uint32_t index, std::uint32_t token, std::uint32_t& phase_end) const {
  phase_end = reasoning_tokens(index);
  const auto& quirks = setup_.quirks;
  const bool shown = quirks.reasoning == Reasoning::streamed || quirks.reasoning == Reasoning::lump;
  if (token < phase_end) return shown ? Phase::reasoning : Phase::hidden;
  phase_end += quirks.empty_tokens;
  if (token < phase_end) return Phase::empty;
  const std::uint32_t output = setup_.output_tokens[index];
  const std::uint32_t text_end = output - std::min(output, quirks.silent_end);
  const bool silent = quirks.silent_end > 0 && token >= text_end;
  phase_end = quirks.silent_end > 0 && !silent ? text_end : std::numeric_limits<std::uint32_t>::max();
  return silent ? Phase::hidden : Phase::text;
}

std::uint32_t Answer::reasoning_tokens(std::uint32_t index) const {
  const auto& quirks = setup_.quirks;
  const auto& request = setup_.request;
  const bool thinks = endpoint().traits().thinks;
  if (quirks.reasoning == Reasoning::none || !thinks || request.thinking == Thinking::off) return 0;
  const std::uint32_t output = setup_.output_tokens[index];
  const double usual =
      quirks.reasoning_tokens > 0 ? quirks.reasoning_tokens : quirks.reasoning_share * output;
  const double wanted = std::min(usual * request.reasoning_effort, static_cast<double>(output));
  return static_cast<std::uint32_t>(std::lround(wanted));
}

std::uint32_t Answer::planned_tokens() const {
  std::uint32_t tokens = 0;
  for (const auto output : setup_.output_tokens) tokens += output;
  return tokens;
}

std::uint32_t Answer::prompt_tokens() const {
  std::size_t tokens = 0;
  for (const auto& prompt : setup_.request.prompts) tokens += prompt.size();
  return static_cast<std::uint32_t>(tokens);
}

std::uint32_t Answer::generated_tokens() const {
  std::uint32_t tokens = 0;
  for (const auto& choice : choices_) tokens += choice.generated;
  return tokens;
}

std::string_view Answer::finish_reason(std::uint32_t index) const {
  const auto& request = setup_.request;
  return request.limited && setup_.output_tokens[index] >= request.output_limit ? "length" : "stop";
}

void Answer::append_text(std::uint32_t index, std::uint32_t from, std::uint32_t count, std::string& out,
                         std::vector<std::string_view>& words) const {
  const bool listed = setup_.request.form.top_logprobs.has_value();
  for (std::uint32_t i = from; i < from + count; ++i) {
    const auto word = choices_[index].words.word(i);
    out += word;
    if (listed) words.push_back(word);
  }
}

std::string Answer::opening_text(std::uint32_t index) const {
  if (!setup_.quirks.echo) return {};
  const std::string quoted = json_quoted(setup_.request.texts[index / setup_.request.n]);
  return quoted.substr(1, quoted.size() - 2);
}

Usage Answer::usage() const {
  const auto& quirks = setup_.quirks;
  Usage usage{.prompt_tokens = prompt_tokens()};
  std::uint32_t reasoning = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint32_t tokens = streaming_ ? choices_[i].in_events : choices_[i].generated;
    usage.completion_tokens += tokens;
    reasoning += std::min(tokens, reasoning_tokens(i));
  }
  if (quirks.reasoning != Reasoning::none && quirks.reasoning != Reasoning::stripped)
    usage.reasoning_tokens = reasoning;
  // As in vLLM, chat's running usage omits it; Anthropic's first event includes it.
  if (!quirks.no_cached_tokens && (all_finished() || typed())) usage.cached_tokens = cached_tokens();
  if (quirks.cost > 0) usage.cost = quirks.cost * usage.completion_tokens / 1e6;
  usage.times = timing(quirks.usage_times);
  return usage;
}

// The choices of one prompt share its cached tokens.
std::optional<std::uint32_t> Answer::cached_tokens() const {
  std::optional<std::uint32_t> sum;
  for (std::size_t i = 0; i < choices_.size(); i += setup_.request.n) {
    if (choices_[i].cached) sum = sum.value_or(0) + *choices_[i].cached;
  }
  return sum;
}

std::optional<RequestTiming> Answer::timing(bool wanted) const {
  if (!wanted || size() != 1 || !choices_.front().truth) return std::nullopt;
  const RequestTruth& truth = *choices_.front().truth;
  return RequestTiming{truth.scheduled - truth.arrived, truth.first_token - truth.scheduled,
                       truth.finished - truth.first_token, choices_.front().generated};
}

BodyChoice Answer::body_choice(std::uint32_t index) const {
  const auto& quirks = setup_.quirks;
  const std::uint32_t thought = reasoning_tokens(index);
  BodyChoice body;
  std::vector<std::string_view> words;
  if (quirks.reasoning == Reasoning::streamed || quirks.reasoning == Reasoning::lump)
    append_text(index, 0, thought, body.reasoning, words);
  body.content = opening_text(index);
  const std::size_t offset = body.content.size();
  append_text(index, thought, choices_[index].generated - thought, body.content, words);
  if (quirks.end_marker) body.content += "<|im_end|>";
  if (!quirks.no_finish) body.finish = finish_reason(index);
  if (const auto top = setup_.request.form.top_logprobs)
    body.logprobs = endpoint().logprobs(words, *top, offset);
  return body;
}

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
