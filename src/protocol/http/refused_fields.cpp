#include "protocol/http/refused_fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"

namespace infermeter {
namespace {

using Words = std::string_view;

constexpr std::array<Words, 12> kRefusals{
    "unrecognized", "unrecognised", "unsupported",   "not supported", "does not support", "unknown",
    "unexpected",   "extra",        "not permitted", "not allowed",   "invalid param",    "unavailable"};
constexpr std::array<Words, 7> kContent{"messages", "prompt",       "model", "input",
                                        "inputs",   "input_tokens", "body"};
// Quoted words of such messages that are no field's name.
constexpr std::array<Words, 16> kNoNames{"type",    "loc",    "msg",   "ctx",    "url",  "string",
                                         "integer", "object", "array", "number", "true", "false",
                                         "null",    "none",   "json",  "error"};
// What stands before a bare name: "Unrecognized request argument supplied: top_k".
constexpr std::array<Words, 8> kBefore{"argument supplied: ",
                                       "arguments supplied: ",
                                       "argument: ",
                                       "parameter: ",
                                       "parameters: ",
                                       "field: ",
                                       "argument not supported: ",
                                       "inputs: "};

template <std::size_t N>
bool any_of(const std::array<Words, N>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view leading_name(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

bool refuses(std::string_view sentence) {
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](Words word) { return sentence.find(word) != std::string_view::npos; });
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

}  // namespace

void RefusedFields::add(std::string_view path) {
  const auto name = leading_name(path);
  const bool digits_only = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits_only || name.size() > 64 || any_of(kContent, name)) return;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

// Sentence by sentence, so that the advice in "Unsupported parameter: 'max_tokens' … Use
// 'max_completion_tokens' instead." is not taken for a refusal.
void RefusedFields::add_from_text(std::string_view text) {
  const std::string lower = lower_case(text.substr(0, 4096));
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(". "), rest.size());
    const auto sentence = rest.substr(0, end);
    if (refuses(sentence)) add_from_sentence(sentence);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
}

void RefusedFields::add_from_sentence(std::string_view sentence) {
  if (add_after_loc(sentence)) return;
  const std::size_t before = names_.size();
  add_quoted(sentence);
  if (names_.size() > before) return;
  for (const auto words : kBefore) {
    const std::size_t at = sentence.find(words);
    if (at == std::string_view::npos) continue;
    add(sentence.substr(at + words.size()));
    return;
  }
  add_leading_path(sentence);
}

// Anthropic: "output_config.effort: extra inputs are not permitted".
void RefusedFields::add_leading_path(std::string_view sentence) {
  const auto path = sentence.substr(0, sentence.find(": "));
  const auto of_path = [](char c) { return is_name_char(c) || c == '.'; };
  if (path.size() < sentence.size() && std::all_of(path.begin(), path.end(), of_path)) add(path);
}

// pydantic's errors as Python writes them: {'type': 'extra_forbidden', 'loc': ('body', 'top_k'), …}
bool RefusedFields::add_after_loc(std::string_view sentence) {
  constexpr std::string_view place = "'loc': ('body', '";
  bool found = false;
  for (std::size_t at = sentence.find(place); at != std::string_view::npos;
       at = sentence.find(place, at + 1)) {
    add(sentence.substr(at + place.size()));
    found = true;
  }
  return found;
}

void RefusedFields::add_quoted(std::string_view sentence) {
  for (std::size_t i = 0; i + 1 < sentence.size(); ++i) {
    if (!is_quote(sentence[i])) continue;
    const std::size_t close = sentence.find(sentence[i], i + 1);
    if (close == std::string_view::npos) return;
    const auto word = sentence.substr(i + 1, close - i - 1);
    // A path may follow the name: messages[0].role, stream_options.include_usage.
    const auto name = leading_name(word);
    const bool path = name.size() == word.size() || word[name.size()] == '.' || word[name.size()] == '[';
    if (!name.empty() && path && !any_of(kNoNames, name)) add(name);
    i = close;
  }
}

}  // namespace infermeter
