#include "base/nesting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

// Never below 0: brackets that close nothing cannot hide those that follow.
void close_one(std::size_t& depth) { depth -= depth > 0 ? 1 : 0; }

/// Follows TOML's tables: a frame for the document and one for each open bracket, each with the parts of the
/// key that is being read or has its value there.
class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {}

  TomlLevels run() {
    while (at_ < text_.size()) step();
    return deepest_;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (c == '\n') {
      ++line_;
      if (frames_.size() == 1 || header_) begin_line();
    } else if (c == '[' || c == '{') {
      open();
    } else if (c == ']' || c == '}') {
      close();
    } else if (c == '.') {
      ++frames_.back();
      ++parts_;
      note();
    } else if (c == ',') {
      parts_ -= std::exchange(frames_.back(), 0);
    }
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') blank_ = false;
    ++at_;
  }

  // A header ends with its line, also one whose brackets do not.
  void begin_line() {
    if (header_) base_ = 1 + parts_;
    header_ = false;
    blank_ = true;
    frames_.assign(1, 0);
    parts_ = 0;
  }

  void open() {
    if (blank_ && frames_.size() == 1) {
      header_ = true;
      base_ = 0;
    }
    if (header_) return;
    frames_.push_back(0);
    note();
  }

  void close() {
    if (header_ || frames_.size() == 1) return;
    parts_ -= frames_.back();
    frames_.pop_back();
  }

  void note() {
    const std::size_t levels = base_ + frames_.size() + parts_;
    if (levels > deepest_.levels) deepest_ = {levels, line_};
  }

  // Strings of one line end with it at the latest, so that a quote that is open hides nothing.
  void skip_string(char quote) {
    blank_ = false;
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_).starts_with(three);
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !many_lines) return;
      if (c == '\n') ++line_;
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        at_ += 2;
        continue;
      }
      if (c == quote && (!many_lines || text_.substr(at_).starts_with(three))) {
        at_ += many_lines ? 3 : 1;
        return;
      }
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool blank_ = true, header_ = false;  // nothing but white space in this line so far; it is [a.b]
  std::size_t base_ = 0;                // levels of the table that the last header opened
  std::vector<std::size_t> frames_{0};
  std::size_t parts_ = 0;  // of all frames
  TomlLevels deepest_;
};

}  // namespace

std::size_t json_levels(std::string_view json) {
  std::size_t depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (c == '\\' && quoted) ++i;
    if (quoted) continue;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') close_one(depth);
  }
  return deepest;
}

bool is_too_deep(std::string_view json, std::size_t most) {
  if (json.size() <= most) return false;
  const auto opens = [](char c) { return c == '{' || c == '['; };
  if (static_cast<std::size_t>(std::count_if(json.begin(), json.end(), opens)) <= most) return false;
  return json_levels(json) > most;
}

TomlLevels toml_levels(std::string_view toml) { return TomlScan(toml).run(); }

std::string too_deep_words(std::size_t levels) {
  return fmt::format("nested {} levels deep; {} at most are read", format_count(levels), kMostLevels);
}

void refuse_too_deep(std::string_view origin, std::string_view json) {
  if (is_too_deep(json)) throw UsageError(fmt::format("{}: {}", origin, too_deep_words(json_levels(json))));
}

}  // namespace infermeter
