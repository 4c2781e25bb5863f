// Comparisons that the reporters' tests share: made by hand, so that the figures on the page are the ones
// here.
#pragma once

#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

/// Two runs of one load: some figures worse, some the same, some of which too little is known.
SideBySide two_compared();
/// A third one that vLLM bench measured, with fewer figures, and a partial second one in another place.
SideBySide three_compared();
/// Four loads, of which one stands alone; several runs of each.
SideBySide sweep_compared();
/// Events against tokens, open loop, two targets.
SideBySide mixed_compared();

}  // namespace infermeter
