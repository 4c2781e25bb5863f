// The text of an expression, taken from the left word by word; whatever is wrong is said with a caret under
// its place. Holds views of the caller's text. Pure; any thread.
#pragma once

#include <cstddef>
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
  /// What follows the name: `.p95`, or k6's ` p(95)` and ` avg`; empty if nothing does.
  Word statistic();
  /// Takes `sign` if it is next.
  bool take(std::string_view sign);
  double number(std::string_view message);
  /// All that is left, without blanks around it.
  Word rest();

  std::size_t at();
  /// The text from a place to where the next word starts.
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
