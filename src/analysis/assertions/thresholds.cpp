#include "infermeter/analysis/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/assertions/expression_text.hpp"
#include "analysis/assertions/threshold_limits.hpp"
#include "analysis/assertions/threshold_scope.hpp"
#include "base/suggest.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

namespace {

/// Of a point or of each request: which figures there are, and what a distribution is. An assertion is of a
/// point, with all its records at hand: any percentile can be made of them.
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

/// vLLM's --goodput says so.
std::string_view our_name(std::string_view metric) { return metric == "e2el" ? "e2e" : metric; }

/// k6 names the metric elsewhere: `p(95)<500`.
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

/// k6 and others call some of them by other names.
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
  if (!may_have_a_scope(kind)) text.refuse(place, given.size(), "a scope stands in an assertion only");
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

}  // namespace infermeter
