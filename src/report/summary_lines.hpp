// The lines between the metrics and the verdict: rates, requests, tokens. Private to src/report.
#pragma once

#include "page.hpp"

namespace infermeter {

void print_rates(const PointResult& point, Page& page);
/// Counts by class, an example of each failure and what to do about it, finish reasons, marks of answers.
void print_requests(const PointResult& point, Page& page);
/// Where token counts come from, how many an answer had, reading comfort, and what other tools call these.
void print_tokens(const PointResult& point, Page& page);

}  // namespace infermeter
