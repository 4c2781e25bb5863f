// The figures that an expression may name, of a load point or of a single request: which unit they have and
// whether they are one value or a distribution. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

enum class FigureUnit { milliseconds, share, tokens_per_second, chars_per_second, per_second, count, money };

struct Figure {
  std::string_view name;
  FigureUnit unit;
  bool distribution = false;    // a statistic such as p95 must say which of its values is meant
  bool low_tail = false;        // a rate: its percentiles are 50, 10, 5, 1
  bool of_one_request = false;  // a single request has it too …
  bool of_its_gaps = false;     // … as a distribution of its own
  bool of_class = true;         // a class of traffic has one of its own
};

/// All of them, in the order of docs/metrics.md.
std::span<const Figure> known_figures();
/// Nothing for an unknown name.
const Figure* find_figure(std::string_view name);

/// The statistics that a distribution has: "mean", "min", "max", then its percentiles, "p50" first.
std::vector<std::string> statistics_of(const Figure& figure);

/// The distribution of that name, the server's own times as "server_queue"; null where the point has none.
const Metric* find_distribution(const PointResult& point, std::string_view name);

/// `<` and `<=`: the figure is to stay under the limit.
bool is_upper(Comparison comparison);

/// 99.9 of "p99.9", between 0 and 100; nothing for what is no percentile.
std::optional<double> percentile_of(std::string_view statistic);

/// What a limit may be given in, with examples, for messages: "a time: 500ms, 1.5s".
std::string_view unit_words(FigureUnit unit);
/// The same without examples: "a time".
std::string_view kind_words(FigureUnit unit);
/// As results write it: "ms", "tokens/s"; empty for money.
std::string_view unit_name(FigureUnit unit);

}  // namespace infermeter
