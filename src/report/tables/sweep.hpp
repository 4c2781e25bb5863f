// A run of several load points or targets as one table, and what they say together. Private to src/report.
#pragma once

#include "report/text/page.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {

/// `loads` are the points of one target, those of one load together. A row a point: what was varied, latency,
/// throughput, how many ended well, and beside or beneath it how the others ended; beneath the runs of one
/// load how far they lie apart. False where columns had to be left out.
bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page);

/// A row a target, its main figures with the difference to the first one; a section each load point of
/// `groups`, with the same columns. False where columns had to be left out.
bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page);

/// What "vs first" means; nothing where nothing was compared.
void explain_differences(const RunResult& result, Page& page);

/// Which run or pair it was; empty where each load was measured once.
std::string run_number(const RunResult& result, const PointResult& point);

bool is_knee(const RunResult& result, const PointResult& point);

/// Where the knee is, and why the sweep ended early.
void print_sweep_sentences(const RunResult& result, Page& page);

/// TTFT against prompt length with the curve through it, where there is one.
void print_context_fits(const RunResult& result, Page& page);

}  // namespace infermeter
