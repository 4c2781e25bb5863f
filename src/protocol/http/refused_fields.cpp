#include "protocol/http/refused_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "protocol/http/server_words.hpp"

namespace infermeter {
namespace {

using Words = std::string_view;

/// Finds the names of request fields that a server's error message rejects. Plain text, any spelling.
class RefusedFields {
 public:
  /// A field, or a path to something in it ("stream_options.include_usage"): the field is kept, once. The
  /// prompt and the model cannot be left out, so they are skipped.
  void add(std::string_view path);
  /// Every name that a sentence calls unknown, unsupported, extra or invalid.
  void add_from_text(std::string_view text);
  const std::vector<std::string>& names() const { return names_; }

 private:
  void add_from_sentence(std::string_view sentence);
  void add_quoted(std::string_view sentence);
  void add_leading_path(std::string_view sentence);
  void add_bare(std::string_view sentence);
  void add_before_pydantic(std::string_view sentence);
  bool add_after_loc(std::string_view sentence);

  std::vector<std::string> names_;
};

constexpr std::array<Words, 13> kRefusals{
    "unrecognized",  "unrecognised", "unsupported", "not supported", "does not support",
    "unknown",       "unexpected",   "extra",       "not permitted", "not allowed",
    "invalid param", "unavailable",  "extraneous"};
// What a server says that failed over a field which its code does not know; an "unexpected error" is not
// that.
constexpr std::array<Words, 12> kCodeRefusals{"unexpected keyword", "unexpected argument", "unrecognized",
                                              "unrecognised",       "extraneous key",      "not permitted",
                                              "unknown field",      "unknown name",        "unknown arg",
                                              "unknown param",      "unsupported param",   "extra inputs"};
constexpr std::array<Words, 7> kContent{"messages", "prompt",       "model", "input",
                                        "inputs",   "input_tokens", "body"};
// Words in such messages that are not field names.
constexpr std::array<Words, 26> kNoNames{"type",   "loc",   "msg",    "ctx",  "url",   "string", "integer",
                                         "object", "array", "number", "true", "false", "null",   "none",
                                         "json",   "error", "is",     "in",   "the",   "with",   "for",
                                         "not",    "was",   "to",     "of",   "or"};
// The words before an unquoted name: "Unrecognized request argument supplied: top_k".
constexpr std::array<Words, 17> kBefore{"argument supplied: ",
                                        "arguments supplied: ",
                                        "argument not supported: ",
                                        "argument: ",
                                        "parameter: ",
                                        "parameters: ",
                                        "field: ",
                                        "fields: ",
                                        "inputs: ",
                                        "key: ",
                                        "keys: ",
                                        "key [",
                                        "keys [",
                                        "unknown field ",
                                        "unknown parameter ",
                                        "unsupported parameter ",
                                        "keyword argument "};
// What follows these is advice.
constexpr std::array<Words, 4> kAdvice{"expected one of", "did you mean", "valid fields", "use '"};
constexpr std::array<Words, 6> kLimits{"max_tokens",     "max_completion_tokens", "max_output_tokens",
                                       "max_new_tokens", "max_tokens_to_sample",  "maxoutputtokens"};

template <std::size_t N>
bool any_of(const std::array<Words, N>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

template <std::size_t N>
bool holds_one_of(std::string_view text, const std::array<Words, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](Words word) { return text.find(word) != std::string_view::npos; });
}

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view leading_name(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

void RefusedFields::add(std::string_view path) {
  constexpr std::string_view root = "body.";
  if (path.starts_with(root)) path.remove_prefix(root.size());
  const auto name = leading_name(path);
  const bool digits_only = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits_only || name.size() > 64 || any_of(kContent, name)) return;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

// Sentence by sentence, so that the advice in "Unsupported parameter: 'max_tokens' … Use
// 'max_completion_tokens' instead." is not taken for a refusal.
void RefusedFields::add_from_text(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(". "), rest.size());
    auto sentence = rest.substr(0, end);
    for (const auto advice : kAdvice) sentence = sentence.substr(0, sentence.find(advice));
    if (holds_one_of(sentence, kRefusals)) add_from_sentence(sentence);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
}

void RefusedFields::add_from_sentence(std::string_view sentence) {
  if (add_after_loc(sentence)) return;
  const std::size_t before = names_.size();
  add_quoted(sentence);
  add_before_pydantic(sentence);
  if (names_.size() > before) return;
  for (const auto words : kBefore) {
    const std::size_t at = sentence.find(words);
    if (at == std::string_view::npos) continue;
    const auto name = leading_name(sentence.substr(at + words.size()));
    if (!any_of(kNoNames, name)) return add(name);
  }
  add_leading_path(sentence);
  if (names_.size() == before) add_bare(sentence);
}

// "ignore_eos is not supported", "the argument top_k is unknown": a word with an underscore, or the first
// one.
void RefusedFields::add_bare(std::string_view sentence) {
  const std::string_view whole = sentence;
  while (!sentence.empty()) {
    const auto word = leading_name(sentence);
    const bool kind = word.ends_with("_error") || word.ends_with("_parameter") ||
                      word.ends_with("_forbidden") || word.ends_with("_request") ||
                      word.starts_with("unsupported_") || word.starts_with("invalid_");
    if (word.find('_') != std::string_view::npos && !kind) add(word);
    sentence.remove_prefix(std::min(word.size() + 1, sentence.size()));
  }
  const auto first = leading_name(whole);
  const auto rest = whole.substr(first.size());
  if (rest.starts_with(" is ") || rest.starts_with(" not ")) {
    if (!any_of(kNoNames, first)) add(first);
  }
}

// Anthropic: "output_config.effort: extra inputs are not permitted".
void RefusedFields::add_leading_path(std::string_view sentence) {
  const auto path = sentence.substr(0, sentence.find(": "));
  const auto of_path = [](char c) { return is_name_char(c) || c == '.'; };
  if (path.size() < sentence.size() && std::all_of(path.begin(), path.end(), of_path)) add(path);
}

// pydantic as text: "1 validation error for ChatRequest ignore_eos Extra inputs are not permitted [type=…".
void RefusedFields::add_before_pydantic(std::string_view sentence) {
  constexpr std::string_view said = " extra inputs are not permitted";
  for (std::size_t at = sentence.find(said); at != std::string_view::npos; at = sentence.find(said, at + 1)) {
    const auto before = sentence.substr(0, at);
    const auto name = before.substr(before.rfind(' ') + 1);
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_name_char)) add(name);
  }
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
    if (!name.empty() && path && !any_of(kNoNames, name)) add(word);
    i = close;
  }
}

// A prompt that is too long is not a rejected field, although servers name one beside it (messages,
// max_tokens).
bool too_long(std::string_view text) {
  constexpr std::array<Words, 4> kTooLong{"context length", "context window", "context size",
                                          "prompt is too long"};
  return holds_one_of(text, kTooLong);
}

// pydantic's ["body", "stream_options", "include_usage"] means the field stream_options.
std::string field_of_place(const nlohmann::json& place) {
  if (!place.is_array()) return {};
  for (const auto& part : place) {
    if (part.is_string() && part != "body" && part != "query") return part.get<std::string>();
  }
  return {};
}

// Some servers put a kind of error or a sentence into `param`: only the path of a field is a field.
bool is_path(std::string_view param) {
  const auto of_path = [](char c) { return is_name_char(c) || c == '.' || c == '[' || c == ']'; };
  return !param.empty() && std::all_of(param.begin(), param.end(), of_path) && !param.ends_with("_error");
}

std::vector<std::string> fields_of(const nlohmann::json& json, std::string_view text) {
  RefusedFields fields;
  if (!json.is_object() && !json.is_array()) {
    fields.add_from_text(text);
    return fields.names();
  }
  each_error_object(json, [&](const nlohmann::json& object) {
    if (const auto param = object.find("param"); param != object.end() && param->is_string()) {
      if (is_path(param->get_ref<const std::string&>())) fields.add(param->get<std::string>());
    }
    if (const auto place = object.find("loc"); place != object.end()) fields.add(field_of_place(*place));
  });
  fields.add_from_text(text);
  return fields.names();
}

std::optional<std::uint32_t> first_number(std::string_view text) {
  constexpr std::size_t near = 40;
  const std::size_t at = text.find_first_of("0123456789");
  if (at == std::string_view::npos || at > near) return std::nullopt;
  std::uint32_t number = 0;
  const char* const begin = text.data() + at;
  if (std::from_chars(begin, text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

enum class Bound : std::uint8_t { least, above, most, below };
struct BoundWords {
  Words words;
  Bound bound;
};
// The first that is found decides, so the longer ones come first.
constexpr std::array<BoundWords, 28> kBounds{{{"greater than or equal to ", Bound::least},
                                              {"less than or equal to ", Bound::most},
                                              {"greater than the max", Bound::most},
                                              {"not be greater than ", Bound::most},
                                              {"cannot exceed ", Bound::most},
                                              {"not exceed ", Bound::most},
                                              {"not be less than ", Bound::least},
                                              {"below minimum", Bound::least},
                                              {"above maximum", Bound::most},
                                              {">=", Bound::least},
                                              {"<=", Bound::most},
                                              {"at least ", Bound::least},
                                              {"at most ", Bound::most},
                                              {"no more than ", Bound::most},
                                              {"up to ", Bound::most},
                                              {"too large", Bound::most},
                                              {"too high", Bound::most},
                                              {"too small", Bound::least},
                                              {"too low", Bound::least},
                                              {"greater than ", Bound::above},
                                              {"larger than ", Bound::above},
                                              {"less than ", Bound::below},
                                              {"smaller than ", Bound::below},
                                              {"minimum", Bound::least},
                                              {"maximum", Bound::most},
                                              {"exceeds", Bound::most},
                                              {"must be positive", Bound::least},
                                              {"> ", Bound::above}}};

void set_bound(RefusedLimit& limit, Bound bound, std::optional<std::uint32_t> number) {
  const bool lower = bound == Bound::least || bound == Bound::above;
  (lower ? limit.too_small : limit.too_large) = true;
  if (!number) return;
  if (bound == Bound::least) limit.least = number;
  if (bound == Bound::above) limit.least = *number + 1;
  if (bound == Bound::most) limit.most = number;
  if (bound == Bound::below && *number > 0) limit.most = *number - 1;
}

// "Expected a value >= 16, but got 8", "supports at most 4096 completion tokens", "must be greater than 2":
// the value is refused, not the field.
std::optional<RefusedLimit> limit_of(std::string_view text) {
  if (!holds_one_of(text, kLimits)) return std::nullopt;
  RefusedLimit limit;
  for (const auto& [words, bound] : kBounds) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) continue;
    const bool lower = bound == Bound::least || bound == Bound::above;
    if (limit.too_small ? !lower || limit.least : limit.too_large && (lower || limit.most)) continue;
    // "too large: 50000" repeats what was sent.
    const bool repeats =
        words.starts_with("too ") || words == "exceeds" || words.starts_with("greater than the");
    set_bound(limit, bound, repeats ? std::nullopt : first_number(text.substr(at + words.size())));
  }
  if (!limit.too_small && !limit.too_large) return std::nullopt;
  return limit;
}

}  // namespace

void read_refusal(int status, const nlohmann::json& json, std::string_view words, ErrorBody& out) {
  const bool of_request = status == 400 || status == 422;
  if (!of_request && status != 500) return;
  const std::string text = lower_case(words);
  if (too_long(text)) return;
  if (!of_request) {
    if (!holds_one_of(std::string_view(text), kCodeRefusals)) return;
    out.refused_fields = fields_of(nullptr, text);
    return;
  }
  out.refused_limit = limit_of(text);
  out.refused_fields = fields_of(json, text);
  if (!out.refused_limit) return;
  RefusedFields said;
  said.add_from_text(text);
  const bool names_limit =
      std::ranges::any_of(said.names(), [](const auto& name) { return any_of(kLimits, name); });
  const bool bounded = out.refused_limit->least || out.refused_limit->most;
  if (names_limit && !bounded)
    return out.refused_limit.reset();  // the field is refused, and its use explained
  std::erase_if(out.refused_fields, [](const std::string& name) { return any_of(kLimits, name); });
}

}  // namespace infermeter
