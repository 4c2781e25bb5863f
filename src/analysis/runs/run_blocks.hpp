// Cuts two targets' requests into matching blocks, so that a change over time affects both alike. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"

namespace infermeter {

inline constexpr std::size_t kFewestBlocks = 6, kMostBlocks = 12;
inline constexpr std::size_t kFewestPerBlock = 8;  // ok requests of each target

/// One target's part of a block.
struct RunBlock {
  Records measured;  // intended in it
  Records arriving;  // in flight in `window`: what its throughput is counted from
  Window window;
};
using BlockPairs = std::vector<std::pair<RunBlock, RunBlock>>;

/// Equal blocks of the time in which both were measured: at most twelve, so many that each target has enough
/// requests in each. Fewer than six, or none, where there are too few requests.
BlockPairs blocks_of_time(const Records& a, const Records& b);

/// For targets that took turns: each target's requests in order, in equal parts, so that the i-th part of one
/// matches the i-th of the other.
BlockPairs blocks_in_order(const Records& a, const Records& b);

/// How many times as long a run has to be for the fewest blocks, if more of it is like what there is; a
/// quarter more than that, since requests do not come evenly. At most 1: it has them.
double times_as_long(const Records& a, const Records& b, bool in_order);

/// All requests of each target as one block.
std::pair<RunBlock, RunBlock> whole_blocks(const Records& a, const Records& b, bool alternating);

}  // namespace infermeter
