// A run of several load points as one table, and what the points say together. Private to src/report.
#pragma once

#include "load_words.hpp"
#include "page.hpp"

namespace infermeter {

/// `points` are those of one target. A row a point: what was varied, latency, throughput, how many ended
/// well, and beside or beneath it how the others ended. False where columns had to be left out.
bool print_sweep(const RunResult& result, const Points& points, bool wide, Page& page);

bool is_knee(const RunResult& result, const PointResult& point);

/// Where the knee is, and why the sweep ended early.
void print_sweep_sentences(const RunResult& result, Page& page);

/// TTFT against prompt length with the curve through it, where there is one.
void print_context_fits(const RunResult& result, Page& page);

}  // namespace infermeter
