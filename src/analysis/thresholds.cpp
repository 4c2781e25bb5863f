#include "infermeter/analysis/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "expression_text.hpp"
#include "figures.hpp"
#include "infermeter/base/suggest.hpp"

namespace infermeter {

namespace {

/// Of a point or of each request: which figures there are, and what a distribution is.
enum class Scope { point, request };

bool has_figure(const Figure& figure, Scope scope) { return scope == Scope::point || figure.of_one_request; }

bool needs_statistic(const Figure& figure, Scope scope) {
  return scope == Scope::point ? figure.distribution : figure.of_its_gaps;
}

std::vector<std::string> names_of(Scope scope) {
  std::vector<std::string> out;
  for (const auto& figure : known_figures()) {
    if (has_figure(figure, scope)) out.emplace_back(figure.name);
  }
  return out;
}

/// vLLM's --goodput says so.
std::string_view our_name(std::string_view metric) { return metric == "e2el" ? "e2e" : metric; }

const Figure& read_metric(ExpressionText& text, Scope scope) {
  const auto word = text.word("a metric, such as ttft.p95 < 500ms");
  const auto* figure = find_figure(our_name(word.text));
  if (figure && has_figure(*figure, scope)) return *figure;
  if (figure)
    text.refuse(word.at, word.text.size(),
                fmt::format("'{}' is not a figure of a single request", word.text));
  const auto names = names_of(scope);
  const auto near = nearest_name(word.text, names);
  text.refuse(word.at, word.text.size(),
              fmt::format("'{}' is not a metric{}", word.text,
                          near ? fmt::format("; did you mean '{}'?", *near) : ""),
              fmt::format("known: {}", fmt::join(names, ", ")));
}

/// k6 and others call some of them by other names.
std::string our_statistic(std::string_view word) {
  if (word == "avg") return "mean";
  if (word == "med" || word == "median") return "p50";
  if (word.starts_with("p(") && word.ends_with(")"))
    return fmt::format("p{}", word.substr(2, word.size() - 3));
  return std::string(word);
}

struct Statistic {
  std::string name;       // empty: the figure has only one value
  bool as_in_k6 = false;  // `p(95)`, `avg`, `med`
};

Statistic read_statistic(ExpressionText& text, const Figure& figure, Scope scope) {
  const auto word = text.statistic();
  const auto known = statistics_of(figure);
  if (!needs_statistic(figure, scope)) {
    if (word.text.empty()) return {};
    text.refuse(word.at, word.text.size(),
                fmt::format("{} is a single figure{}: leave '{}' out", figure.name,
                            scope == Scope::request ? " of a request" : "", word.text));
  }
  if (word.text.empty())
    text.refuse(word.at, 1,
                fmt::format("{} has many values: say which, as in {}.p95", figure.name, figure.name),
                fmt::format("known: {}", fmt::join(known, ", ")));
  auto statistic = our_statistic(word.text);
  if (std::ranges::find(known, statistic) == known.end())
    text.refuse(word.at, word.text.size(),
                fmt::format("{} has no '{}'; known: {}", figure.name, word.text, fmt::join(known, ", ")));
  return {statistic, statistic != word.text};
}

Comparison read_comparison(ExpressionText& text) {
  constexpr std::array spelt{std::pair{"<=", Comparison::at_most}, std::pair{">=", Comparison::at_least},
                             std::pair{"<", Comparison::below}, std::pair{">", Comparison::above}};
  for (const auto& [sign, comparison] : spelt) {
    if (text.take(sign)) return comparison;
  }
  text.refuse(text.at(), 1, "expected <, <=, > or >= here");
}

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
    case FigureUnit::per_second:
      return rates;
    case FigureUnit::money:
      return money;
    case FigureUnit::count:
      break;
  }
  return counts;
}

/// `bare_times`: as in the tools whose form this is, a time without a unit is in milliseconds.
double read_limit(ExpressionText& text, const Figure& figure, bool bare_times) {
  const auto place = text.at();
  const auto number = text.number(fmt::format("expected {} here", unit_words(figure.unit)));
  const auto unit = text.rest();
  const auto known = scales(figure.unit);
  const auto it = std::ranges::find(known, unit.text, &Scale::first);
  if (it == known.end())
    text.refuse(unit.at, unit.text.size(),
                fmt::format("'{}' is not a unit of {}, which is {}", unit.text, figure.name,
                            unit_words(figure.unit)));
  if (figure.unit == FigureUnit::milliseconds && unit.text.empty() && number > 0 && !bare_times) {
    const auto given = text.from(place);
    text.refuse(place, given.size(), fmt::format("{} what? as {}s or {}ms", given, given, given));
  }
  const double limit = number * it->second;
  if (figure.unit == FigureUnit::share && limit > 1)
    text.refuse(place, text.at() - place,
                fmt::format("{} is a share of at most 1: write {}%", figure.name, text.from(place)));
  return limit;
}

/// vLLM's form: `ttft:500`.
Comparison good_side(const Figure& figure) {
  return figure.low_tail ? Comparison::at_least : Comparison::at_most;
}

Threshold parse(std::string_view origin, std::string_view given, Scope scope) {
  ExpressionText text(origin, given);
  Threshold out;
  out.text = given;
  const Figure& figure = read_metric(text, scope);
  out.metric = figure.name;
  const auto statistic = read_statistic(text, figure, scope);
  out.statistic = statistic.name;
  const bool colon = scope == Scope::request && text.take(":");
  out.comparison = colon ? good_side(figure) : read_comparison(text);
  out.limit = read_limit(text, figure, colon || statistic.as_in_k6);
  return out;
}

}  // namespace

Threshold parse_threshold(std::string_view origin, std::string_view text) {
  return parse(origin, text, Scope::point);
}

Threshold parse_slo(std::string_view origin, std::string_view text) {
  return parse(origin, text, Scope::request);
}

}  // namespace infermeter
