// Rules for tests of gates.
#pragma once

#include "infermeter/analysis/gate.hpp"

namespace infermeter::tests {

inline const GateRule kOnlyTtft{.metrics = {{.metric = "ttft", .statistic = "p50"}}};

}  // namespace infermeter::tests
