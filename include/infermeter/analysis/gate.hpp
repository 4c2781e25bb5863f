// Candidate against baseline (METHOD 5.6): signed ranks of interleaved pairs, or runs of two sessions. The
// unit is the run, never the request. Pure; any thread.
//
// A change is ln(candidate / baseline); inside it is turned so that positive is worse. A line of the verdict
// tells it in the figure's own direction: +0.198 is 19.8 % more TTFT, −0.048 is 4.8 % less throughput.
#pragma once

#include <cstdint>
#include <optional>
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

/// After how many pairs a gate of at most so many is decided: 6, 8, 10, 12, 16, then every fourth, and at its
/// end. Under six there is none: no six pairs, no decision.
std::vector<std::uint32_t> gate_looks(std::uint32_t most_pairs);
/// The next look after so many counted pairs; nothing after the last one.
std::optional<std::uint32_t> next_look(const GateRule& rule, std::uint32_t counted);

/// The same load at both, measured one right after the other.
struct GatePair {
  const PointResult* baseline = nullptr;
  const PointResult* candidate = nullptr;
};

/// What the pairs so far say. Undecided before the first look and between looks; `at_end`: no pair will
/// follow, so this is a look too, and what is needed is said. Pairs with a member that is not to be trusted
/// or was interrupted are set aside: they do not count, and more than max(5, those that count) make the
/// verdict untrustworthy. Guards (error share, fewer good answers than planned) hold at once: before
/// the first look they count the failures so far against all the requests until then, so that one failure of
/// a short run decides nothing. `low` and `high` of a change are the bounds that decide: it fails when the
/// one on the better side is beyond `limit`.
Verdict judge_pairs(const GateRule& rule, std::span<const GatePair> pairs, bool at_end);

/// Why answers of the same requests are not of one kind (a stream or not, lengths, how tokens are counted), a
/// sentence each; empty where they are.
std::vector<std::string> differences_of_answers(const PointResult& baseline, const PointResult& candidate);

/// Runs of two sessions, compared by run (Welch): they fail only beyond the session's own effect, unless they
/// were measured in turn in one job, which are pairs. Each load point that both have is judged; others are
/// named. Throws UsageError for a single run of a side, unless every metric's `least` is 20 % or more (a
/// guard against catastrophes, by the intervals of the figures themselves), for results of several targets
/// and of gates, and, unless forced, for runs that differ in kind.
Verdict judge_runs(const GateRule& rule, std::span<const RunResult> baseline,
                   std::span<const RunResult> candidate);

/// Why the two are not the same kind of run, a sentence each: workload, load, open-loop schedule, token
/// counts, major version of the tool. Load points that only one of them has are no difference unless they
/// have none in common. Empty: they may be compared.
std::vector<std::string> differences_of_kind(const RunResult& one, const RunResult& other);
/// The same of their surroundings: machine, kernel, server version, model name; to be told, not refused.
std::vector<std::string> differences_of_surroundings(const RunResult& one, const RunResult& other);

/// The smallest true change of TTFT p50 (of the rule's first metric where it has none) that this rule finds
/// at least 95 % of the time, where a run's own figure varies by the coefficient `run_cv`; by simulated gates
/// with a fixed seed. Nothing where it finds none up to ten times the figure.
std::optional<double> smallest_change_found(const GateRule& rule, double run_cv);

/// What pairs of two equal servers tell of the pipeline itself.
struct MetricNoise {
  std::string metric, statistic;
  std::uint32_t pairs = 0;       // that have the figure on both sides
  std::optional<double> spread;  // standard deviation of ln(candidate / baseline); of at least two pairs
  /// The smallest `least` with which this noise lets under one equal gate in a hundred fail, all the rule's
  /// metrics together.
  std::optional<double> least;
};
std::vector<MetricNoise> noise_of_pairs(const GateRule& rule, std::span<const GatePair> pairs);

}  // namespace infermeter
