// Parses the text of an expression from left to right, word by word. Each error shows a caret under its
// place. Holds views of the caller's text. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

class ExpressionText {
 public:
  struct Word {
    std::string_view text;
    std::size_t at = 0;
  };

  ExpressionText(std::string_view origin, std::string_view text) : origin_(origin), text_(text) {}

  /// A name of letters, digits and `_`; refuses anything else, saying that `expected` should stand there.
  Word word(std::string_view expected);
  /// What follows the name: `.p95`, or k6's ` p(95)` and ` avg`; empty if nothing follows.
  Word statistic();
  /// Takes `sign` if it is next.
  bool take(std::string_view sign);
  double number(std::string_view message);
  /// The same if `sign` is next; else takes nothing.
  std::optional<double> take_number();
  /// Whether a name comes next, rather than a number, a sign or the end.
  bool starts_name();
  /// Everything up to one of these characters or to the end, without blanks around it.
  Word up_to(std::string_view ends);
  /// The unit of a limit: everything up to a scope.
  Word unit() { return up_to("["); }
  bool at_end() { return at() == text_.size(); }

  /// Where a word first stands in the whole text.
  std::size_t find(std::string_view word) const { return std::min(text_.find(word), text_.size()); }
  std::size_t at();
  /// The text from a place to the end of the last word.
  std::string_view from(std::size_t place) const;
  /// UsageError: "<origin>: <message>"; the expression, a caret under the wrong place, then `advice`.
  [[noreturn]] void refuse(std::size_t at, std::size_t length, std::string_view message,
                           std::string_view advice = {}) const;

 private:
  void skip_blanks();

  std::string_view origin_, text_;
  std::size_t at_ = 0;
};

}  // namespace infermeter
