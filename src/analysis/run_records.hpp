// The records of one load point in an order that does not depend on the order they came in, so that shuffled
// records give the same figures to the last bit. Pointers are not owned.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/record.hpp"

namespace infermeter {

using Records = std::vector<const RequestRecord*>;

/// Each list in order of intention: completion order would hide how neighbouring requests depend on each
/// other.
struct RunRecords {
  Records all;       // warm-up included
  Records measured;  // whatever their outcome
  Records ok;        // measured and ok: the ones that enter latency
};

RunRecords order_records(std::span<const RequestRecord> records);

}  // namespace infermeter
