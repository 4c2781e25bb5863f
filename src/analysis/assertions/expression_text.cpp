#include "analysis/assertions/expression_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }
bool is_statistic(char c) { return is_name(c) || c == '.' || c == '(' || c == ')'; }

/// A tab or a line break would move the caret away from what it points at.
std::string in_one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

}  // namespace

void ExpressionText::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

std::size_t ExpressionText::at() {
  skip_blanks();
  return at_;
}

std::string_view ExpressionText::from(std::size_t place) const {
  auto end = at_;
  while (end > place && is_blank(text_[end - 1])) --end;
  return text_.substr(place, end - place);
}

ExpressionText::Word ExpressionText::word(std::string_view expected) {
  const auto start = at();
  while (at_ < text_.size() && is_name(text_[at_])) ++at_;
  if (at_ == start) refuse(start, 1, fmt::format("expected {}", expected));
  return {from(start), start};
}

ExpressionText::Word ExpressionText::statistic() {
  auto start = at();
  if (take(".")) start = at_;
  while (at_ < text_.size() && is_statistic(text_[at_])) ++at_;
  return {from(start), start};
}

bool ExpressionText::take(std::string_view sign) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(sign)) return false;
  at_ += sign.size();
  return true;
}

double ExpressionText::number(std::string_view message) {
  const auto value = take_number();
  if (!value) refuse(at_, 1, message);
  return *value;
}

std::optional<double> ExpressionText::take_number() {
  const auto start = at();
  std::size_t stop = start;
  std::string digits;  // without `_`, which may separate them
  for (; stop < text_.size(); ++stop) {
    const char c = text_[stop];
    if (c != '_' && c != '.' && !is_digit(c)) break;
    if (c != '_') digits += c;
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [parsed, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || parsed != end) return std::nullopt;
  at_ = stop;
  return value;
}

bool ExpressionText::starts_name() {
  const auto start = at();
  return start < text_.size() && is_name(text_[start]) && !is_digit(text_[start]);
}

ExpressionText::Word ExpressionText::up_to(std::string_view ends) {
  const auto start = at();
  const auto stop = std::min(text_.find_first_of(ends, start), text_.size());
  at_ = stop;
  auto last = stop;
  while (last > start && is_blank(text_[last - 1])) --last;
  return {text_.substr(start, last - start), start};
}

void ExpressionText::refuse(std::size_t at, std::size_t length, std::string_view message,
                            std::string_view advice) const {
  const auto place = std::min(at, text_.size());
  const auto marked = std::max<std::size_t>(1, count_code_points(text_.substr(place, length)));
  auto below =
      fmt::format("{}\n{}{}", in_one_line(text_), std::string(count_code_points(text_.substr(0, place)), ' '),
                  std::string(marked, '^'));
  if (!advice.empty()) below += fmt::format("\n{}", advice);
  throw UsageError(fmt::format("{}: {}", origin_, message), below);
}

}  // namespace infermeter
