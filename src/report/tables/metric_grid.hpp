// Latencies as a grid: a row a metric, how sure it is beneath. Private to src/report.
#pragma once

#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

/// Of a point, or of one class of its requests.
struct Latencies {
  const std::vector<Metric>& metrics;
  bool open_loop = false;  // latency from the intended time is the headline
  bool events = false;     // output is counted in events
  std::uint64_t ok = 0;
  bool retried = false;  // some were sent again: what users waited is more than the last try took
  const Metric* find(std::string_view metric) const;
};

/// Nothing where no request gave a latency.
void print_metrics(const Latencies& latencies, bool wide, Page& page);

/// True where output is counted in events for want of a token count; then nothing of it is called a token.
bool counts_events(const PointResult& point);

}  // namespace infermeter
