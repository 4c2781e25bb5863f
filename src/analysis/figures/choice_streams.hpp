// The events of one answer, taken apart by choice index (n > 1): arrivals, gaps and speeds are each choice's
// own. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/figures/token_counts.hpp"

namespace infermeter {

struct ChoiceStream {
  std::vector<std::int64_t> arrivals_us;  // without kept gaps: the first and the last token only
  std::vector<double> tokens;             // of each arrival
  double total = 0;                       // N of this choice, without tokens that no event carried
  bool whole = false;                     // every arrival is here
};

/// Fills `out` (whose capacity is reused) with the choices that have an event. One of an answer without a
/// token: none.
void split_choices(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out);

}  // namespace infermeter
