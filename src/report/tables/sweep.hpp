// Several points in one table: a row per load, target or repeated run, and what a sweep shows. Private to
// src/report.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/text/page.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {

/// The points grouped by load, loads in order of first appearance, each load's points by run and target, or
/// by the ranking of the targets if there is one.
std::vector<Points> by_load(const RunResult& result);

/// A target's rank at its load, from 0; nothing without a ranking.
std::optional<std::pair<std::size_t, const RankedTarget*>> find_rank(const RunResult& result,
                                                                     const PointResult& point);
/// "1", "2 =" where it cannot be distinguished from the one before it.
std::string rank_words(const RunResult& result, const PointResult& point);

/// "between runs: TTFT p50 ±2.1 %, TPOT p50 ±0.8 %": the coefficient of variation over the runs of one target
/// and load; empty with fewer than two runs.
std::string spread_words(const Points& runs);

/// `loads` are the points of one target, those of one load together. A row per point: what was varied,
/// latency, throughput, how many requests ended well, and how the others ended (beside or beneath). Beneath
/// the runs of one load stands the variation between them. False where columns were left out.
bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page);

/// A row per target with its main figures, then the changes against the reference target; a section for each
/// load point of `groups`, with the same columns. False where columns were left out.
bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page);

/// The meaning of ranks and changes; nothing where nothing was compared.
void explain_differences(const RunResult& result, Page& page);

/// The run or pair; empty where each load was measured once.
std::string run_number(const RunResult& result, const PointResult& point);

bool is_knee(const RunResult& result, const PointResult& point);

/// Where the knee is, and why the sweep ended early.
void print_sweep_sentences(const RunResult& result, Page& page);

/// TTFT against prompt length with the fitted curve, where there is one.
void print_context_fits(const RunResult& result, Page& page);

}  // namespace infermeter
