// Several points in one table: a row per load, target or repeated run, and what a sweep shows. Private to
// src/report.
#pragma once

#include <string>
#include <vector>

#include "report/text/page.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {

/// The points grouped by load, loads in order of first appearance, each load's points by run and target.
std::vector<Points> by_load(const RunResult& result);

/// "between runs: TTFT p50 ±2.1 %, TPOT p50 ±0.8 %": the coefficient of variation over the runs of one target
/// and load; empty with fewer than two runs.
std::string spread_words(const Points& runs);

/// `loads` are the points of one target, those of one load together. A row per point: what was varied,
/// latency, throughput, how many requests ended well, and how the others ended (beside or beneath). Beneath
/// the runs of one load stands the variation between them. False where columns were left out.
bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page);

/// A row per target, its main figures with the difference to the first one; a section for each load point of
/// `groups`, with the same columns. False where columns were left out.
bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page);

/// The meaning of "vs first"; nothing where nothing was compared.
void explain_differences(const RunResult& result, Page& page);

/// The run or pair; empty where each load was measured once.
std::string run_number(const RunResult& result, const PointResult& point);

bool is_knee(const RunResult& result, const PointResult& point);

/// Where the knee is, and why the sweep ended early.
void print_sweep_sentences(const RunResult& result, Page& page);

/// TTFT against prompt length with the fitted curve, where there is one.
void print_context_fits(const RunResult& result, Page& page);

}  // namespace infermeter
