#include "analysis/assertions/threshold_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace infermeter {

namespace {

using Scale = std::pair<std::string_view, double>;

std::span<const Scale> scales(FigureUnit unit) {
  static constexpr std::array<Scale, 8> times{
      {{"", 1}, {"ms", 1}, {"s", 1e3}, {"us", 1e-3}, {"µs", 1e-3}, {"ns", 1e-6}, {"m", 60e3}, {"min", 60e3}}};
  static constexpr std::array<Scale, 2> shares{{{"", 1}, {"%", 0.01}}};
  static constexpr std::array<Scale, 6> tokens{
      {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"tok/s", 1}, {"tokens/s", 1}, {"ktok/s", 1e3}}};
  static constexpr std::array<Scale, 3> chars{{{"", 1}, {"k", 1e3}, {"chars/s", 1}}};
  static constexpr std::array<Scale, 5> rates{{{"", 1}, {"k", 1e3}, {"/s", 1}, {"req/s", 1}, {"rps", 1}}};
  static constexpr std::array<Scale, 3> counts{{{"", 1}, {"k", 1e3}, {"M", 1e6}}};
  static constexpr std::array<Scale, 1> money{{{"", 1}}};
  switch (unit) {
    case FigureUnit::milliseconds:
      return times;
    case FigureUnit::share:
      return shares;
    case FigureUnit::tokens_per_second:
      return tokens;
    case FigureUnit::chars_per_second:
      return chars;
    case FigureUnit::requests_per_second:
    case FigureUnit::vectors_per_second:
      return rates;
    case FigureUnit::money:
      return money;
    case FigureUnit::count:
      break;
  }
  return counts;
}

/// What a limit may be given in, with examples.
std::string_view limit_words(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::milliseconds:
      return "a time: 500ms, 1.5s";
    case FigureUnit::share:
      return "a share: 1%, 0.01";
    case FigureUnit::tokens_per_second:
      return "a number of tokens per second: 30, 4k, 30tok/s";
    case FigureUnit::chars_per_second:
      return "a number of characters per second: 120, 120chars/s";
    case FigureUnit::requests_per_second:
    case FigureUnit::vectors_per_second:
      return "a number per second: 20, 20/s";
    case FigureUnit::money:
      return "a price: 0.60";
    case FigureUnit::count:
      break;
  }
  return "a number: 100, 4k";
}

}  // namespace

std::string_view kind_words(FigureUnit unit) {
  const auto words = limit_words(unit);
  return words.substr(0, words.find(':'));
}

double read_limit(ExpressionText& text, const Figure& figure, bool bare_times) {
  const auto place = text.at();
  const auto number = text.number(fmt::format("expected {} here", limit_words(figure.unit)));
  const auto unit = text.unit();
  const auto given = text.from(place);
  const auto known = scales(figure.unit);
  const auto it = std::ranges::find(known, unit.text, &Scale::first);
  if (it == known.end())
    text.refuse(unit.at, unit.text.size(),
                fmt::format("'{}' is not a unit of {}, which is {}", unit.text, figure.name,
                            limit_words(figure.unit)));
  if (figure.unit == FigureUnit::milliseconds && unit.text.empty() && number > 0 && !bare_times)
    text.refuse(place, given.size(), fmt::format("{} what? as {}s or {}ms", given, given, given));
  const double limit = number * it->second;
  if (figure.unit == FigureUnit::share && limit > 1)
    text.refuse(place, given.size(),
                fmt::format("{} is a share of at most 1{}", figure.name,
                            unit.text.empty() ? fmt::format(": write {}%", given) : ", which is 100%"));
  return limit;
}

std::optional<double> take_factor(ExpressionText& text) {
  ExpressionText ahead = text;
  auto factor = ahead.take_number();
  if (!factor) return std::nullopt;
  if (ahead.take("%")) *factor /= 100;
  if (!ahead.take("*")) return std::nullopt;
  text = ahead;
  return factor;
}

std::optional<double> take_factor_behind(ExpressionText& text) {
  if (!text.take("*")) return std::nullopt;
  const auto factor = text.number("expected a number here");
  return text.take("%") ? factor / 100 : factor;
}

}  // namespace infermeter
