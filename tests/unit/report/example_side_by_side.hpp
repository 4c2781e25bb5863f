// Comparisons shared by the reporters' tests: made by hand, so that the figures on the page are those given
// here.
#pragma once

#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

/// Two runs of one load: some figures worse, some the same, some with too little data.
SideBySide two_compared();
/// A third run, measured by vLLM bench, with fewer figures, and a partial second one on another machine.
SideBySide three_compared();
/// Four loads, one of them in one run only; several runs of each.
SideBySide sweep_compared();
/// Events against tokens, open loop, two targets.
SideBySide mixed_compared();

}  // namespace infermeter
