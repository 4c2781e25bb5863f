// A stage as a straight line in time. Private to src/workload; pure.
#pragma once

#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

struct StageLine {
  nanoseconds start{}, end{};  // half-open
  double from = 0, to = 0;     // targets
  /// Steady load, which is what is measured; a pause is none.
  bool holds() const { return from == to && to > 0; }
  double at(nanoseconds when) const {
    return from + (to - from) * static_cast<double>((when - start).count()) /
                      static_cast<double>((end - start).count());
  }
};

/// Ascending and without gaps. A stage without length is a jump: it has no line, the next one starts there.
std::vector<StageLine> stage_lines(const std::vector<LoadStage>& stages);

}  // namespace infermeter
