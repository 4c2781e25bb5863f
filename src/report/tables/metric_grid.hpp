// Latencies as a grid: a row per metric, its interval beneath. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/figures.hpp"
#include "report/text/page.hpp"

namespace infermeter {

/// Nothing where no request has a latency.
void print_metrics(const PointResult& point, bool wide, Page& page);

/// True where output is counted in events because there is no token count; then nothing is called a token.
bool counts_events(const PointResult& point);

/// "TTFT incl. schedule delay"; where events stand for tokens "Time per event".
std::string figure_label(const Figure& figure, bool events);

}  // namespace infermeter
