// JSON that all endpoints share: usage, errors, the server's own times, pieces of text. The readers of the
// endpoints derive from it, and each knows only its own format. Private to this floor, which alone includes
// simdjson.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "protocol/stream/chunk.hpp"

namespace infermeter {

/// Whether a key is in a list of names.
template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view key) {
  return std::ranges::find(names, key) != names.end();
}

/// Walks one JSON text with simdjson's On-Demand, which reads forward only and validates what it visits.
/// Errors are sticky (`bad_`) and end the walk.
class JsonWalk {
 public:
  using Value = simdjson::ondemand::value;
  using Object = simdjson::ondemand::object;

 protected:
  /// Visits each field of the object `json`; false if it is not an object or is malformed. The text is copied
  /// once; views into it are valid until the next walk.
  template <typename Visit>
  bool walk(std::string_view json, Visit visit);
  /// Does nothing if the value is not an object; visit(key, value).
  template <typename Visit>
  void each_field(Value& value, Visit visit);
  template <typename Visit>
  void each_field(Object& object, Visit visit);
  /// Does nothing if the value is not an array.
  template <typename Visit>
  void each_element(Value& value, Visit visit);
  /// Returns false unless the value is an object; `json` is the object's whole text.
  bool open(Value& value, Object& object, std::string_view& json);

  static std::string_view token_of(Value& value) { return trim(value.raw_json_token()); }
  /// The first character of the value's text.
  static char kind_of(Value& value);
  /// A string's characters; empty for any other value.
  static std::string_view text_of(Value& value);
  /// A whole number that is not negative, and small enough that sums of several do not overflow; some
  /// gateways write it as a string.
  static std::optional<std::int64_t> count_of(Value& value);

 private:
  // The fields that are read lie within 8 levels; thousands of hostile nested levels must not cause recursion
  // that deep.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(++depth) {}
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    bool too_deep() const { return depth_ > 24; }

   private:
    int& depth_;
  };

  static constexpr std::int64_t kMostCount = 9'000'000'000'000'000;  // a double is exact up to here
  static std::optional<std::int64_t> digits_in(std::string_view text);
  static std::optional<std::int64_t> count_in(std::int64_t number);
  static std::string_view key_of(simdjson::ondemand::field& field);
  bool reserve(std::size_t size);

  simdjson::ondemand::parser parser_;
  std::vector<char> text_;  // with simdjson's padding
  int depth_ = 0;
  bool bad_ = false;
};

template <typename Visit>
bool JsonWalk::walk(std::string_view json, Visit visit) {
  bad_ = false;
  if (!reserve(json.size())) return false;
  std::memcpy(text_.data(), json.data(), json.size());
  std::memset(text_.data() + json.size(), ' ', simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  Object root;
  const auto error = json_scan(parser_, {text_.data(), json.size()}, text_.size(), document);
  if (error != simdjson::SUCCESS || document.get_object().get(root) != simdjson::SUCCESS) return false;
  each_field(root, visit);
  return !bad_;
}

template <typename Visit>
void JsonWalk::each_field(Object& object, Visit visit) {
  const Depth depth(depth_);
  if (depth.too_deep()) return;
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (std::move(result).get(field) != simdjson::SUCCESS) bad_ = true;
    if (bad_) return;
    visit(key_of(field), field.value());
    if (bad_) return;
  }
}

template <typename Visit>
void JsonWalk::each_field(Value& value, Visit visit) {
  if (kind_of(value) != '{') return;
  Object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    bad_ = true;
    return;
  }
  each_field(object, visit);
}

template <typename Visit>
void JsonWalk::each_element(Value& value, Visit visit) {
  const Depth depth(depth_);
  if (kind_of(value) != '[' || depth.too_deep()) return;
  simdjson::ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) bad_ = true;
  if (bad_) return;
  for (auto result : array) {
    Value element;
    if (std::move(result).get(element) != simdjson::SUCCESS) bad_ = true;
    if (bad_) return;
    visit(element);
    if (bad_) return;
  }
}

inline bool JsonWalk::open(Value& value, Object& object, std::string_view& json) {
  if (kind_of(value) != '{' || bad_) return false;
  bad_ = value.get_object().get(object) != simdjson::SUCCESS ||
         object.raw_json().get(json) != simdjson::SUCCESS || object.reset().error() != simdjson::SUCCESS;
  json = trim(json);
  return !bad_;
}

// Grows by doubling, so that lines that are each slightly longer than the last do not each allocate.
inline bool JsonWalk::reserve(std::size_t size) {
  constexpr std::size_t smallest = 4096;
  if (text_.size() >= size + simdjson::SIMDJSON_PADDING && parser_.capacity() >= size) return true;
  std::size_t capacity = std::max(parser_.capacity(), smallest);
  while (capacity < size) capacity *= 2;
  if (parser_.allocate(capacity) != simdjson::SUCCESS) return false;
  text_.resize(capacity + simdjson::SIMDJSON_PADDING);
  return true;
}

// The key as written. A key with an escape in it ends early and equals no known name.
inline std::string_view JsonWalk::key_of(simdjson::ondemand::field& field) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

inline char JsonWalk::kind_of(Value& value) {
  const auto token = value.raw_json_token();
  return token.empty() ? '\0' : token.front();
}

// A string's characters. Almost none has an escape: then no byte is copied. A lone surrogate (from gateways
// that split a UTF-16 pair) is not an error: the text is kept as written.
inline std::string_view JsonWalk::text_of(Value& value) {
  auto token = token_of(value);
  if (token.size() < 2 || token.front() != '"') return {};
  token = token.substr(1, token.size() - 2);
  if (std::memchr(token.data(), '\\', token.size()) == nullptr) return token;
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS ? text : token;
}

inline std::optional<std::int64_t> JsonWalk::count_of(Value& value) {
  std::int64_t whole = 0;
  if (value.get_int64().get(whole) == simdjson::SUCCESS) return count_in(whole);
  if (kind_of(value) == '"') return digits_in(text_of(value));
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS || number != std::floor(number)) return {};
  if (!(number >= 0 && number <= static_cast<double>(kMostCount))) return {};
  return static_cast<std::int64_t>(number);
}

inline std::optional<std::int64_t> JsonWalk::count_in(std::int64_t number) {
  return number >= 0 && number <= kMostCount ? std::optional(number) : std::nullopt;
}

inline std::optional<std::int64_t> JsonWalk::digits_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return count_in(number);
}

class ChunkReader : public AnswerReader, protected JsonWalk {
 public:
  const Chunk* read(std::string_view json) final;

 protected:
  /// Fills the empty `chunk_`; false if `json` is not one JSON object.
  virtual bool read_chunk(std::string_view json) = 0;
  /// Usage, the model, an error, a time measured by the server: the top-level fields of any answer.
  void read_fact(std::string_view key, Value& value);
  void read_error(Value& value);
  void read_usage(Value& value);
  void read_timing(std::string_view key, Value& value);
  /// True for the fields of section 2 of STREAMING.md that are beside usage.
  static bool is_timing(std::string_view key);
  std::uint32_t elements_of(Value& value);
  /// A count of usage; one that cannot be a count makes it odd. null, words and objects are no count.
  std::optional<std::int64_t> told_count(Usage& usage, Value& value);
  /// `reasoning` is counted as reasoning, every other kind as visible text; an empty piece is ignored.
  void add_text(ChunkChoice& choice, TokenKind kind, std::string_view piece);
  ChunkChoice& choice_zero();
  /// Room for one more: an event of 16 MB may list millions.
  bool takes_choice() const { return chunk_.choices.size() < kMostChoices; }

  Chunk chunk_;

 private:
  static constexpr std::size_t kMostChoices = 1024, kMostTexts = 65536, kMostTimings = 64;

  void read_usage_field(Usage& usage, std::string_view key, Value& value);
  void read_larger(Usage& usage, std::optional<std::int64_t>& kept, Value& value);
  void read_cost(Usage& usage, Value& value);
  void read_timed_count(std::string_view key, Value& value);
};

}  // namespace infermeter
