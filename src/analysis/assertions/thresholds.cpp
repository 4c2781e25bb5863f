#include "infermeter/analysis/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "analysis/assertions/expression_text.hpp"
#include "base/text.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

namespace {

using ThresholdScope = std::vector<std::pair<std::string, std::string>>;

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

/// The units that a limit may have, with examples.
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

/// The kind of limit, for messages: "a time", "a number of tokens per second".
std::string_view kind_words(FigureUnit unit) {
  const auto words = limit_words(unit);
  return words.substr(0, words.find(':'));
}

/// A number with its unit, converted to the figure's unit: milliseconds, a share, tokens per second.
/// `bare_times`: a time without a unit is in milliseconds, as in the tools that use this form. Refuses
/// anything else, with a caret.
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

/// Takes the factor of `0.99 * request_throughput` with its sign, if it comes next; `99%` is a factor too.
/// Else takes nothing.
std::optional<double> take_factor(ExpressionText& text) {
  ExpressionText ahead = text;
  auto factor = ahead.take_number();
  if (!factor) return std::nullopt;
  if (ahead.take("%")) *factor /= 100;
  if (!ahead.take("*")) return std::nullopt;
  text = ahead;
  return factor;
}

/// The same for `request_throughput * 0.99`, behind the figure.
std::optional<double> take_factor_behind(ExpressionText& text) {
  if (!text.take("*")) return std::nullopt;
  const auto factor = text.number("expected a number here");
  return text.take("%") ? factor / 100 : factor;
}

constexpr std::array<std::string_view, 6> kKeys{"target", "concurrency", "rate", "shape", "class", "run"};
constexpr std::array<std::string_view, 3> kNumbers{"concurrency", "rate", "run"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

std::string read_key(ExpressionText& text, const ThresholdScope& before) {
  const auto key = text.word("one of target, concurrency, rate, shape, class, run");
  if (!is_among(kKeys, key.text)) {
    const auto near = nearest_name(key.text, std::vector<std::string>(kKeys.begin(), kKeys.end()));
    text.refuse(key.at, key.text.size(),
                fmt::format("'{}' is not a place{}", key.text,
                            near ? fmt::format("; did you mean '{}'?", *near) : ""),
                fmt::format("known: {}", fmt::join(kKeys, ", ")));
  }
  const bool twice = std::ranges::any_of(before, [&](const auto& one) { return one.first == key.text; });
  if (twice) text.refuse(key.at, key.text.size(), fmt::format("'{}' stands here twice", key.text));
  return std::string(key.text);
}

std::string read_value(ExpressionText& text, const std::string& key) {
  if (!text.take("=")) text.refuse(text.at(), 1, fmt::format("expected = here, as in {}=8", key));
  const auto value = text.up_to(",]");
  if (value.text.empty()) text.refuse(value.at, 1, fmt::format("which {}?", key));
  if (is_among(kNumbers, key) && !is_number(value.text))
    text.refuse(value.at, value.text.size(), fmt::format("{} is a number, '{}' is not", key, value.text));
  return std::string(value.text);
}

/// Takes a scope, `[target=a, concurrency=8]`, if one comes next; else it is empty. Refuses an unknown or
/// repeated key, and a value that the key cannot have, with a caret.
ThresholdScope take_scope(ExpressionText& text) {
  ThresholdScope scope;
  if (!text.take("[")) return scope;
  do {
    auto key = read_key(text, scope);
    auto value = read_value(text, key);
    scope.emplace_back(std::move(key), std::move(value));
  } while (text.take(","));
  if (!text.take("]")) text.refuse(text.at(), 1, "expected ] here");
  return scope;
}

/// Of a point or of each request: which figures exist, and which of them are distributions. An assertion is
/// about a point with all its records, so any percentile can be computed.
enum class Kind { point, request, assertion };

bool has_figure(const Figure& figure, Kind kind) { return kind != Kind::request || figure.in_slo; }

bool needs_statistic(const Figure& figure, Kind kind) {
  return kind == Kind::request ? figure.has_gaps() : figure.is_distribution();
}

std::vector<std::string> names_of(Kind kind) {
  std::vector<std::string> out;
  for (const auto& figure : known_figures()) {
    if (has_figure(figure, kind)) out.emplace_back(figure.name);
  }
  return out;
}

/// vLLM's --goodput uses this name.
std::string_view our_name(std::string_view metric) { return metric == "e2el" ? "e2e" : metric; }

/// k6 writes the metric in another place: `p(95)<500`.
void refuse_bare_statistic(ExpressionText& text, const ExpressionText::Word& word, Kind kind) {
  constexpr std::array bare{"p", "avg", "med", "min", "max"};
  if (kind == Kind::request || std::ranges::find(bare, word.text) == bare.end()) return;
  text.refuse(word.at, word.text.size(), "of which metric? as in ttft p(95)<500");
}

const Figure& read_metric(ExpressionText& text, Kind kind) {
  const auto word = text.word("a metric, such as ttft.p95 < 500ms");
  refuse_bare_statistic(text, word, kind);
  const auto* figure = find_figure(our_name(word.text));
  if (figure && has_figure(*figure, kind)) return *figure;
  if (figure)
    text.refuse(word.at, word.text.size(),
                fmt::format("'{}' is not a figure of a single request", word.text));
  const auto names = names_of(kind);
  const auto near = nearest_name(word.text, names);
  text.refuse(word.at, word.text.size(),
              fmt::format("'{}' is not a metric{}", word.text,
                          near ? fmt::format("; did you mean '{}'?", *near) : ""),
              fmt::format("known: {}", fmt::join(names, ", ")));
}

/// Names that k6 and others give to some of them.
std::string our_statistic(std::string_view word) {
  if (word == "avg") return "mean";
  if (word == "med" || word == "median") return "p50";
  if (word.starts_with("p(") && word.ends_with(")"))
    return fmt::format("p{}", word.substr(2, word.size() - 3));
  return std::string(word);
}

struct StatisticName {
  std::string name;       // empty: the figure has only one value
  bool as_in_k6 = false;  // `p(95)`, `avg`, `med`
};

StatisticName read_statistic(ExpressionText& text, const Figure& figure, Kind kind) {
  const auto word = text.statistic();
  const auto known = statistics_of(figure);
  if (!needs_statistic(figure, kind)) {
    if (word.text.empty()) return {};
    text.refuse(word.at, word.text.size(),
                fmt::format("{} is a single figure{}: leave '{}' out", figure.name,
                            kind == Kind::request ? " of a request" : "", word.text));
  }
  if (word.text.empty())
    text.refuse(word.at, 1,
                fmt::format("{} has many values: say which, as in {}.p95", figure.name, figure.name),
                fmt::format("known: {}", fmt::join(known, ", ")));
  auto statistic = our_statistic(word.text);
  if (const auto any = kind == Kind::point ? std::nullopt : percentile_of(statistic))
    return {fmt::format("p{}", *any), statistic != word.text};
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

/// vLLM's form: `ttft:500`.
Comparison good_side(const Figure& figure) {
  return figure.low_tail ? Comparison::at_least : Comparison::at_most;
}

bool may_have_a_scope(Kind kind) { return kind == Kind::assertion; }
bool may_name_a_figure(Kind kind) { return kind != Kind::request; }

struct Term {
  const Figure* figure = nullptr;
  StatisticName statistic;
};

Term read_term(ExpressionText& text, Kind kind) {
  Term term{&read_metric(text, kind), {}};
  term.statistic = read_statistic(text, *term.figure, kind);
  return term;
}

/// `request_throughput`, as the limit of a figure of the same unit.
void read_other(ExpressionText& text, const Figure& figure, Kind kind, Threshold& out) {
  const auto place = text.at();
  const auto other = read_term(text, kind);
  if (other.figure->unit != figure.unit) {
    text.refuse(place, text.from(place).size(),
                fmt::format("{} is {}, but {} is {}", other.figure->name, kind_words(other.figure->unit),
                            figure.name, kind_words(figure.unit)));
  }
  out.of_metric = other.figure->name;
  out.of_statistic = other.statistic.name;
}

/// `500ms`, `request_throughput`, `0.99 * request_throughput` or `request_throughput * 0.99`.
void read_right_side(ExpressionText& text, const Term& left, Kind kind, bool bare_times, Threshold& out) {
  if (may_name_a_figure(kind)) {
    const auto factor = take_factor(text);
    if (factor || text.starts_name()) {
      read_other(text, *left.figure, kind, out);
      out.limit = factor ? *factor : take_factor_behind(text).value_or(1);
      return;
    }
  }
  out.limit = read_limit(text, *left.figure, bare_times);
}

/// Before the expression or behind it.
void add_scope(ExpressionText& text, Kind kind, Threshold& out) {
  const auto place = text.at();
  auto scope = take_scope(text);
  if (scope.empty()) return;
  const auto given = text.from(place);
  if (!may_have_a_scope(kind)) text.refuse(place, given.size(), "a scope is allowed in an assertion only");
  if (!out.scope.empty()) text.refuse(place, given.size(), "there is a scope before it already");
  out.scope = std::move(scope);
}

void refuse_the_whole(ExpressionText& text, const Figure& figure, const Threshold& out) {
  const bool of_class =
      std::ranges::find(out.scope, "class", &std::pair<std::string, std::string>::first) != out.scope.end();
  if (of_class && !figure.of_class)
    text.refuse(text.find(figure.name), figure.name.size(),
                fmt::format("{} is a figure of the whole load, not of a class", figure.name));
}

Threshold parse(std::string_view origin, std::string_view given, Kind kind) {
  ExpressionText text(origin, given);
  Threshold out;
  out.text = given;
  add_scope(text, kind, out);
  const Term left = read_term(text, kind);
  out.metric = left.figure->name;
  out.statistic = left.statistic.name;
  const bool colon = kind == Kind::request && text.take(":");
  out.comparison = colon ? good_side(*left.figure) : read_comparison(text);
  read_right_side(text, left, kind, colon || left.statistic.as_in_k6, out);
  add_scope(text, kind, out);
  if (!text.at_end()) text.refuse(text.at(), 1, "expected the end here");
  refuse_the_whole(text, *left.figure, out);
  if (!out.of_metric.empty()) refuse_the_whole(text, *find_figure(out.of_metric), out);
  return out;
}

}  // namespace

Threshold parse_threshold(std::string_view origin, std::string_view text) {
  return parse(origin, text, Kind::point);
}

Threshold parse_assertion(std::string_view origin, std::string_view text) {
  return parse(origin, text, Kind::assertion);
}

Threshold parse_slo(std::string_view origin, std::string_view text) {
  return parse(origin, text, Kind::request);
}

std::string parse_figure(std::string_view origin, std::string_view given) {
  ExpressionText text(origin, given);
  const Term term = read_term(text, Kind::assertion);
  if (!text.at_end()) text.refuse(text.at(), 1, "expected the end here");
  std::string name(term.figure->name);
  return term.statistic.name.empty() ? name : name + "." + term.statistic.name;
}

std::optional<double> value_of(const Threshold& threshold, const PointResult& point) {
  return estimate_of(point, *find_figure(threshold.metric), threshold.statistic).value;
}

std::optional<double> limit_of(const Threshold& threshold, const PointResult& point) {
  if (threshold.of_metric.empty()) return threshold.limit;
  const auto other = estimate_of(point, *find_figure(threshold.of_metric), threshold.of_statistic);
  return other.value ? std::optional(threshold.limit * *other.value) : std::nullopt;
}

std::optional<bool> holds(const Threshold& threshold, const PointResult& point) {
  const auto value = value_of(threshold, point), limit = limit_of(threshold, point);
  if (!value || !limit) return std::nullopt;
  return holds(*value, threshold.comparison, *limit);
}

}  // namespace infermeter
