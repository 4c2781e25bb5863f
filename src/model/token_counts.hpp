// What is known about the tokens of one answer, and which events carried them (docs/metrics.md, "Token
// counts"). Pure; any thread.
#pragma once

#include <cstddef>

#include "infermeter/model/record.hpp"

namespace infermeter {

struct TokenCounts {
  bool counted = false;          // by the server; otherwise each event counts as one, and is called an event
  bool per_event_known = false;  // every m_j is known
  double generated = 0;          // N, with tokens that no event carried: what throughput counts
  double streamed = 0;           // N without those: the N of tpot, tps and itl
  double carried = 0;            // Σ m_j: one less than `streamed` where an end token was counted too
};

TokenCounts count_tokens(const RequestRecord& record);

/// m_j of event j, counted from 0: the known number, or the average N/k for events of unknown size.
double event_tokens(const RequestRecord& record, const TokenCounts& counts, std::size_t event);

/// n of n > 1: the number of choices that the events belong to.
std::size_t choice_count(const RequestRecord& record);

/// The arrival of each event is known (not so with --no-save-gaps).
bool has_arrivals(const RequestRecord& record);

}  // namespace infermeter
