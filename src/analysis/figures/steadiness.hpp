// Whether the load had settled over a window, so that its rates are those of a server that could go on like
// this. Pure; any thread.
#pragma once

#include "analysis/figures/windows.hpp"

namespace infermeter {

struct Steadiness {
  double in_flight = 0, ttft = 0;  // rise over the window, of the mean
  bool grows = false;              // the queue, or the wait in it
  bool too_short = false;          // open loop: the load was still building up in too much of the window
  double build_up_s = 0;           // open loop: time of an answer, after which as many end as begin
  Window window = {};              // the one that was judged, without the build-up of an open loop
  bool settled() const { return !grows && !too_short; }
};

/// Requests in flight in ten blocks of time; TTFT in ten groups of requests by their sending, where there are
/// ten. Both grow by more than a twentieth of their mean, or one of them by half of it and beyond doubt (of a
/// trace TTFT alone). An
/// open loop is judged over the whole window and from the time at which its first answers have ended: before
/// that it only fills up, and where that takes more than a twentieth of the window, the window begins there.
Steadiness steadiness_of(const LoadPoint& load, const RunRecords& run, const Window& window);

}  // namespace infermeter
