// The right-hand side of an expression: `500ms`, `1%`, `4k`, `0.99 * request_throughput`. Pure; any thread.
#pragma once

#include "analysis/assertions/expression_text.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

/// What a limit is, for messages: "a time", "a number of tokens per second".
std::string_view kind_words(FigureUnit unit);

/// A number and the unit behind it as this figure measures: milliseconds, a share, tokens per second.
/// `bare_times`: as in the tools whose form this is, a time without a unit is in milliseconds. Refuses
/// anything else, with a caret.
double read_limit(ExpressionText& text, const Figure& figure, bool bare_times);

/// Takes the factor of `0.99 * request_throughput` with its sign, if that is what comes next; `99%` is one
/// too. Else nothing is taken.
std::optional<double> take_factor(ExpressionText& text);
/// Likewise of `request_throughput * 0.99`, behind the figure.
std::optional<double> take_factor_behind(ExpressionText& text);

}  // namespace infermeter
