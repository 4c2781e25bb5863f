// An answer as it would have been recorded had every uncertain event arrived at one end of its bounds
// (docs/metrics.md, "Possible error"). Pure; any thread.
#pragma once

#include <cstdint>

#include "infermeter/model/figures.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// `low` and `high`: each time between two instants at its least and at its greatest.
enum class ArrivalSide : std::uint8_t { recorded, low, high };

/// For that figure and others of its span and level; each choice of the answer has its own stream. Returns
/// the record itself where nothing in it is uncertain, else `scratch`, filled.
const RequestRecord& seen_from(const RequestRecord& record, const Figure& figure, ArrivalSide side,
                               RequestRecord& scratch);

}  // namespace infermeter
