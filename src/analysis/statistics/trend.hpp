// Whether a quantity rises over a window. Pure; any thread.
#pragma once

#include <array>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

struct Trend {
  double rise = 0;           // of the fitted line, from the first to the last block
  bool significant = false;  // its slope is above 0 at 95 %
};

/// Least squares through the means of ten blocks of time; block means are far less dependent on each other
/// than requests are.
Trend trend(const std::array<double, kBlocks>& block_means);

}  // namespace infermeter
