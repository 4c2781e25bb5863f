// Latencies as a grid: a row a metric, how sure it is beneath. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/figures.hpp"
#include "report/text/page.hpp"

namespace infermeter {

/// Nothing where no request gave a latency.
void print_metrics(const PointResult& point, bool wide, Page& page);

/// True where output is counted in events for want of a token count; then nothing of it is called a token.
bool counts_events(const PointResult& point);

/// "TTFT from intended"; where events stand for tokens "Time per event".
std::string figure_label(const Figure& figure, bool events);

}  // namespace infermeter
