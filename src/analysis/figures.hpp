// The figures that an expression may name, of a load point or of a single request: which unit they have and
// whether they are one value or a distribution. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

enum class FigureUnit { milliseconds, share, tokens_per_second, chars_per_second, per_second, count, money };

struct Figure {
  std::string_view name;
  FigureUnit unit;
  bool distribution = false;    // a statistic such as p95 must say which of its values is meant
  bool low_tail = false;        // a rate: its percentiles are 50, 10, 5, 1
  bool of_one_request = false;  // a single request has it too …
  bool of_its_gaps = false;     // … as a distribution of its own
};

/// All of them, in the order of docs/metrics.md.
std::span<const Figure> known_figures();
/// Nothing for an unknown name.
const Figure* find_figure(std::string_view name);

/// The statistics that a distribution has: "mean", "min", "max", then its percentiles, "p50" first.
std::vector<std::string> statistics_of(const Figure& figure);

/// "ms", "tok/s", …: what a limit may be given in, for messages.
std::string_view unit_words(FigureUnit unit);

}  // namespace infermeter
