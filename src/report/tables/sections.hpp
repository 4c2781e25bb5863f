// The parts that the terminal page and the HTML page share; each page has its own order. Private to
// src/report.
#pragma once

#include <string>

#include "report/text/page.hpp"

namespace infermeter {

/// The server that was measured, and the load.
void print_header(const RunResult& result, Page& page);

/// The conclusion of the run in one or two sentences, with a warning where its figures are not to be trusted.
void print_headline(const RunResult& result, Page& page);

/// All figures of one point. `all_columns`: of the latencies; `whole`: every slice, each with its latencies.
void print_figures(const PointResult& point, bool all_columns, bool whole, Page& page);

/// Several points in one table: a row per load or target. False where columns were left out.
bool print_overview(const RunResult& result, bool all_columns, Page& page);

/// Failures of all points by kind, since the advice is the same.
void print_all_ends(const RunResult& result, Page& page);

/// "vendor-two   20 requests/s": a point among several; in running text "vendor-two, 20 requests/s".
std::string title_of(const RunResult& result, const PointResult& point);
std::string plain_title(const RunResult& result, const PointResult& point);

}  // namespace infermeter
