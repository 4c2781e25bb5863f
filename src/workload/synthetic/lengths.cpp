#include "workload/synthetic/lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr double kMost = 1e9;  // maximum of one length, in tokens or milliseconds
constexpr std::size_t kShownPairs = 8;

/// One use of the grammar: how a single value is written, and the error message if it is invalid.
struct Grammar {
  std::string_view option, text;  // text: the whole value, as given
  double (*value)(std::string_view option, std::string_view text);
  double least;
  std::string_view forms;

  [[noreturn]] void refuse(std::string_view rule) const {
    throw UsageError(fmt::format("{}: '{}' {}", option, text, rule), fmt::format("It takes {}.", forms));
  }
};

double tokens(std::string_view option, std::string_view text) {
  return static_cast<double>(parse_count(option, text));
}

double milliseconds(std::string_view option, std::string_view text) {
  return std::chrono::duration<double, std::milli>(parse_duration(option, text)).count();
}

/// `512-1024`, `2s-5s`, `512..1024`.
void refuse_range(const Grammar& grammar, std::string_view text) {
  const std::size_t mark = text.find_first_of("-~"), dots = text.find("..");
  const std::size_t end = std::min(mark, dots);
  const std::size_t next = end + (dots < mark ? 2 : 1);
  const auto begins = [](std::string_view part) { return !part.empty() && part[0] >= '0' && part[0] <= '9'; };
  if (end == std::string_view::npos || next >= text.size() || !begins(text) || !begins(text.substr(next)))
    return;
  throw UsageError(fmt::format("{}: '{}' is a range; did you mean uniform:{},{}?", grammar.option,
                               grammar.text, text.substr(0, end), text.substr(next)));
}

double one_value(const Grammar& grammar, std::string_view text) {
  refuse_range(grammar, text);
  const double value = grammar.value(grammar.option, text);
  if (value < grammar.least) grammar.refuse("is too short: at least 1");
  if (value > kMost) grammar.refuse("is too long");
  return value;
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view at) {
  const auto where = text.find_first_of(at);
  if (where == std::string_view::npos) return {text, {}};
  return {text.substr(0, where), text.substr(where + 1)};
}

std::pair<std::string_view, std::string_view> two_values(const Grammar& grammar, std::string_view text,
                                                         std::string_view rule) {
  const auto pair = cut(text, ",");
  if (pair.first.empty() || pair.second.empty() || pair.second.find(',') != std::string_view::npos)
    grammar.refuse(rule);
  return pair;
}

Lengths uniform(const Grammar& grammar, std::string_view text) {
  const auto [from, to] = two_values(grammar, text, "needs two ends, as in uniform:A,B");
  const Lengths lengths{
      .kind = Lengths::Kind::uniform, .a = one_value(grammar, from), .b = one_value(grammar, to)};
  if (lengths.a > lengths.b) grammar.refuse("ends below its beginning");
  return lengths;
}

Lengths normal(const Grammar& grammar, std::string_view text) {
  const auto [mean, deviation] =
      two_values(grammar, text, "needs a mean and a standard deviation, as in normal:M,S");
  return {.kind = Lengths::Kind::normal,
          .a = one_value(grammar, mean),
          .b = grammar.value(grammar.option, deviation)};
}

Lengths lognormal(const Grammar& grammar, std::string_view text) {
  constexpr double kWildest = 5;  // one in a hundred is then 100,000 times the median
  const auto [median, sigma] = two_values(grammar, text, "needs a median and a sigma, as in lognormal:M,0.5");
  const Lengths lengths{.kind = Lengths::Kind::lognormal,
                        .a = one_value(grammar, median),
                        .b = parse_number(grammar.option, sigma)};
  if (lengths.b < 0 || lengths.b > kWildest) grammar.refuse("has a sigma that is not from 0 to 5");
  return lengths;
}

void add_pair(const Grammar& grammar, std::string_view value, std::string_view weight, Lengths& lengths) {
  const double share = parse_number(grammar.option, weight);
  if (!std::isfinite(share) || share < 0) grammar.refuse("has a weight that is below 0");
  const auto length = static_cast<std::uint32_t>(std::llround(one_value(grammar, value)));
  lengths.weighted.emplace_back(length, share);
}

Lengths checked_weights(const Grammar& grammar, Lengths lengths) {
  const auto weighs = [](const auto& pair) { return pair.second > 0; };
  if (std::ranges::none_of(lengths.weighted, weighs)) grammar.refuse("has no weight above 0");
  return lengths;
}

Lengths pairs(const Grammar& grammar, std::string_view text) {
  Lengths lengths{.kind = Lengths::Kind::weighted};
  while (!text.empty()) {
    const auto [pair, rest] = cut(text, ",");
    const auto [value, weight] = cut(pair, ":");
    if (value.empty() || weight.empty())
      grammar.refuse("is not pairs of length and weight, as in A:0.7,B:0.3");
    add_pair(grammar, value, weight, lengths);
    text = rest;
  }
  return checked_weights(grammar, std::move(lengths));
}

// Errors name file and line, because the option's value does not show them.
Lengths histogram(const Grammar& grammar, std::string_view content) {
  Lengths lengths{.kind = Lengths::Kind::weighted};
  for (std::size_t number = 1; !content.empty(); ++number) {
    const auto [line, rest] = cut(content, "\n");
    content = rest;
    const std::string_view entry = trim(cut(line, "#").first);
    if (entry.empty()) continue;
    const auto [value, weight] = cut(entry, " \t,;");
    const std::string place = fmt::format("{} {}, line {}", grammar.option, grammar.text, number);
    Grammar here = grammar;
    here.option = place;
    here.text = entry;
    if (trim(weight).empty()) here.refuse("is not a length and its weight");
    add_pair(here, value, trim(weight), lengths);
  }
  return checked_weights(grammar, std::move(lengths));
}

Lengths parse(const Grammar& grammar, const ReadText& read_file) {
  const auto [kind, rest] = cut(grammar.text, ":");
  if (rest.empty()) {
    if (grammar.text.find(',') != std::string_view::npos) grammar.refuse("names no distribution");
    return {.a = one_value(grammar, grammar.text)};
  }
  if (kind == "uniform") return uniform(grammar, rest);
  if (kind == "normal") return normal(grammar, rest);
  if (kind == "lognormal") return lognormal(grammar, rest);
  if (kind == "histogram" && read_file) return histogram(grammar, read_file(std::string(rest)));
  const bool digit = kind.front() >= '0' && kind.front() <= '9';
  if (!digit) grammar.refuse("is no distribution that is known");
  return pairs(grammar, grammar.text);
}

Grammar of_lengths(std::string_view option, std::string_view text) {
  return {option, text, tokens, 1,
          "a number, uniform:A,B, normal:MEAN,SD, lognormal:MEDIAN,SIGMA, histogram:FILE, or pairs such as "
          "128:0.7,2k:0.3"};
}

std::string token_text(double value) {
  const auto count = static_cast<std::uint64_t>(std::llround(value));
  return count >= 1000 && count % 1000 == 0 ? fmt::format("{}k", count / 1000) : fmt::format("{}", count);
}

std::string millisecond_text(double value) {
  if (value == 0) return "0";
  return value >= 1000 ? fmt::format("{}s", value / 1000) : fmt::format("{}ms", value);
}

using ValueText = std::string (*)(double);

std::string pairs_text(const Lengths& lengths, ValueText text) {
  if (lengths.weighted.size() > kShownPairs)
    return fmt::format("{} lengths, mean {}", lengths.weighted.size(), text(std::round(lengths.mean())));
  std::string all;
  for (const auto& [value, weight] : lengths.weighted)
    all += fmt::format("{}{}:{}", all.empty() ? "" : ",", text(value), weight);
  return all;
}

std::string written(const Lengths& lengths, ValueText text) {
  switch (lengths.kind) {
    case Lengths::Kind::fixed:
      break;
    case Lengths::Kind::uniform:
      return fmt::format("uniform:{},{}", text(lengths.a), text(lengths.b));
    case Lengths::Kind::normal:
      return fmt::format("normal:{},{}", text(lengths.a), text(lengths.b));
    case Lengths::Kind::lognormal:
      return fmt::format("lognormal:{},{}", text(lengths.a), lengths.b);
    case Lengths::Kind::weighted:
      return pairs_text(lengths, text);
  }
  return text(lengths.a);
}

constexpr double kLongest = 1e9;  // bounds lognormal draws with a huge sigma: no overflow

std::uint32_t by_weight(const Lengths& lengths, double uniform) {
  double sum = 0;
  for (const auto& entry : lengths.weighted) sum += entry.second;
  double left = uniform * sum;
  for (const auto& [value, weight] : lengths.weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  return lengths.weighted.empty() ? 0 : lengths.weighted.back().first;
}

double drawn(const Lengths& lengths, Random random) {
  switch (lengths.kind) {
    case Lengths::Kind::fixed:
      break;
    case Lengths::Kind::uniform:  // whole numbers, inclusive
      return std::floor(lengths.a + random.uniform() * (lengths.b - lengths.a + 1));
    case Lengths::Kind::normal:
      return lengths.a + lengths.b * random.normal();
    case Lengths::Kind::lognormal:
      return lengths.a * std::exp(lengths.b * random.normal());
    case Lengths::Kind::weighted:
      return by_weight(lengths, random.uniform());
  }
  return lengths.a;
}

}  // namespace

Lengths parse_lengths(std::string_view option, std::string_view text, const ReadText& read_file) {
  return parse(of_lengths(option, text), read_file);
}

Lengths parse_turns(std::string_view option, std::string_view text, const ReadText& read_file) {
  const Grammar grammar = of_lengths(option, text);
  const bool range = text.find(':') == std::string_view::npos && text.find(',') != std::string_view::npos;
  return range ? uniform(grammar, text) : parse(grammar, read_file);
}

Lengths parse_durations(std::string_view option, std::string_view text) {
  return parse(
      {option, text, milliseconds, 0,
       "a duration, uniform:A,B, normal:MEAN,SD, lognormal:MEDIAN,SIGMA, or pairs such as 1s:0.7,5s:0.3"},
      {});
}

std::string lengths_text(const Lengths& lengths) { return written(lengths, token_text); }
std::string durations_text(const Lengths& lengths) { return written(lengths, millisecond_text); }

std::uint32_t draw_length(const Lengths& lengths, Draw use, std::uint64_t seed, std::uint64_t index,
                          std::uint32_t turn, std::uint32_t least) {
  // A separate seed for each use and turn: the words of the prompt with this index use `seed` itself.
  const std::uint64_t own =
      mix64(seed ^ mix64((std::uint64_t{turn} << 8) + static_cast<std::uint8_t>(use) + 1));
  const double value = std::clamp(drawn(lengths, Random(own, index)), 0.0, kLongest);
  return std::max(least, static_cast<std::uint32_t>(std::llround(value)));
}

}  // namespace infermeter
