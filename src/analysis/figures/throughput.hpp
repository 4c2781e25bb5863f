// Rates of one window: what arrived inside it, whichever requests it belongs to. Pure; any thread.
#pragma once

#include "analysis/figures/windows.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// `records`: of every phase, since an answer of the warm-up has its share of the server too. Tokens count
/// when they arrive, those of failed and cancelled answers too. Tokens that no event carried (hidden
/// reasoning) and prompt tokens count at the first token; an answer without a stream counts at its end. Where
/// the server did not count an answer (a failed one has no usage), each of its events counts
/// `tokens_per_event`. Without kept gaps the tokens between first and last are spread evenly.
Rates rates(const Records& records, const Window& window, double tokens_per_event);

/// Per second, with the 95 % interval by ten blocks of time.
struct Rate {
  double value = 0;
  std::optional<double> half_width;
};
/// How many of these requests ended in the window.
Rate rate_of_ends(const Records& records, const Window& window);

/// Requests per second that the schedule of an open loop asks for in the window; nothing in closed loop.
std::optional<double> offered_rate(const LoadPoint& load, const RunRecords& run,
                                   const std::optional<Window>& window);

}  // namespace infermeter
