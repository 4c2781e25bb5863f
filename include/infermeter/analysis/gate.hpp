// Candidate against baseline (METHOD 5.6): signed ranks of interleaved pairs, or runs of two sessions. The
// unit is the run, never the request. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

struct GatedMetric {
  std::string metric, statistic;  // "ttft", "p50"; "output_throughput", ""
  double least = 0.05;            // Δ: a change that is surely beyond it fails
  double most = 0.10;             // Δ_max: a metric passes when it is surely below it
};

struct GateRule {
  std::vector<GatedMetric> metrics;
  std::vector<std::uint32_t> looks{6, 8, 10, 12, 16};  // pairs after which it is decided; ascending
  double error_share = 0.01;  // by how much more of the candidate's requests may fail (a guard)
  double session_effect = 0.15;
  bool forced = false;  // --force: runs that differ in kind are compared all the same
};

/// TTFT p50 and p95, TPOT p50, output throughput; goodput in the place of throughput where there are SLOs.
GateRule default_gate_rule(bool with_slos);

/// The same load at both, measured one right after the other.
struct GatePair {
  const PointResult* baseline = nullptr;
  const PointResult* candidate = nullptr;
};

/// What the pairs so far say. Undecided before the first look and between looks; `at_end`: no pair will
/// follow, and what is needed is said. Guards (error share, fewer good answers than planned, a run not to be
/// trusted) hold at once. Pairs with a member that is not to be trusted are set aside: they do not count.
Verdict judge_pairs(const GateRule& rule, std::span<const GatePair> pairs, bool at_end);

/// Runs of two sessions, compared by run: they fail only beyond the session's own effect, unless they were
/// measured in turn. Runs without a common load are named. Throws UsageError for one run a side, unless every
/// metric's `least` is 20 % or more (a guard against catastrophes), and for runs that differ in kind.
Verdict judge_runs(const GateRule& rule, std::span<const RunResult> baseline,
                   std::span<const RunResult> candidate);

/// Why the two are not the same kind of run, a sentence each: workload, load, open-loop schedule, major
/// version of the tool. Empty: they may be compared.
std::vector<std::string> differences_of_kind(const RunResult& one, const RunResult& other);
/// The same of their surroundings: machine, kernel, server version, model name; to be told, not refused.
std::vector<std::string> differences_of_surroundings(const RunResult& one, const RunResult& other);

/// The smallest true change of TTFT p50 that this rule finds at least 95 % of the time, where a run's own
/// figure varies by the coefficient `run_cv`; by simulated gates with a fixed seed.
double smallest_change_found(const GateRule& rule, double run_cv);

}  // namespace infermeter
