// Rates of one window: what arrived inside it, whichever requests it belongs to. Pure; any thread.
#pragma once

#include "analysis/figures/windows.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Tokens count when they arrive, those of failed and cancelled answers too. Tokens that no event carried
/// (hidden reasoning) and prompt tokens count at the first token; an answer without a stream counts at its
/// end. Where the server did not count an answer (a failed one has no usage), each of its events counts
/// `tokens_per_event`. Without kept gaps the tokens between first and last are spread evenly.
Rates rates(const Records& records, const Window& window, double tokens_per_event);

}  // namespace infermeter
