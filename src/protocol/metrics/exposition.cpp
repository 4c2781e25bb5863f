#include "protocol/metrics/exposition.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace infermeter {
namespace {

constexpr std::string_view kSpace = " \t";

/// A place in one line.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) {}
  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size())); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Up to the first of `ends`, or to the end of the line.
  std::string_view until(std::string_view ends) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(word.size());
    return word;
  }
  /// A quoted text, with what its escapes stand for; false if it does not end. `raw`: as it is written.
  bool quoted(std::string& text, std::string_view& raw);

 private:
  std::string_view rest_;
};

bool Cursor::quoted(std::string& text, std::string_view& raw) {
  text.clear();
  if (!take('"')) return false;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      raw = rest_.substr(0, i);
      rest_.remove_prefix(i + 1);
      return true;
    }
    if (rest_[i] != '\\' || i + 1 == rest_.size()) {
      text += rest_[i];
      continue;
    }
    const char escaped = rest_[++i];
    text += escaped == 'n' ? '\n' : escaped;
  }
  return false;
}

/// `text` takes from_chars's words for infinity and NaN; a leading `+` is the format's.
std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty() ? std::optional(value) : std::nullopt;
}

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  };
  return !name.empty() && std::ranges::all_of(name, fits) && !(name.front() >= '0' && name.front() <= '9');
}

/// `{key="value",…}`, or `{"name",key="value",…}` as names beyond ASCII are written.
bool read_labels(Cursor& at, MetricSample& out) {
  if (!at.take('{')) return true;
  for (;;) {
    at.skip_space();
    if (at.take('}')) return true;
    std::string value;
    std::string_view raw, key;
    if (at.peek() == '"') {
      if (!at.quoted(value, raw)) return false;
      key = raw;
    } else {
      key = at.until("= \t,}");
    }
    at.skip_space();
    if (at.take('=')) {
      at.skip_space();
      if (key.empty() || !at.quoted(value, raw)) return false;
      out.labels.emplace_back(key, std::move(value));
    } else if (out.name.empty() && !raw.empty()) {
      out.name = raw;
    } else {
      return false;
    }
    at.skip_space();
    if (!at.take(',') && at.peek() != '}') return false;
  }
}

/// What may follow a value: a time stamp, an exemplar.
bool is_tail(Cursor at) {
  at.skip_space();
  if (at.at_end() || at.peek() == '#') return true;
  if (!number(at.until(kSpace))) return false;
  at.skip_space();
  return at.at_end() || at.peek() == '#';
}

bool read_sample(std::string_view line, MetricSample& out) {
  out.labels.clear();
  Cursor at(line);
  at.skip_space();
  out.name = at.until("{ \t");
  at.skip_space();
  if (!read_labels(at, out)) return false;
  at.skip_space();
  const auto value = number(at.until(kSpace));
  if (!value || out.name.empty() || !is_tail(at)) return false;
  out.value = *value;
  return is_name(out.name) || line.starts_with('{');
}

}  // namespace

std::string_view MetricSample::label(std::string_view key) const {
  const auto it = std::ranges::find(labels, key, [](const auto& label) { return label.first; });
  return it == labels.end() ? std::string_view() : std::string_view(it->second);
}

bool ExpositionReader::next(MetricSample& out) {
  while (!rest_.empty()) {
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    if (read_sample(line, out)) return true;
    ++bad_;
  }
  return false;
}

}  // namespace infermeter
