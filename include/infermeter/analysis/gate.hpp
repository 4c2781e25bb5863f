// Compares a candidate with a baseline (METHOD 5.6): signed ranks of interleaved pairs, or runs of two
// sessions. The unit is the run, never the request. Pure; any thread.
//
// A change is ln(candidate / baseline); internally it is turned so that positive is worse. The verdict
// shows it in the figure's own direction: +0.198 is 19.8 % more TTFT, −0.048 is 4.8 % less throughput.
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
  double least = 0.05;            // Δ: a change that is surely larger fails
  double most = 0.10;             // Δ_max: a metric passes when its change is surely smaller
};

struct GateRule {
  std::vector<GatedMetric> metrics;
  std::vector<std::uint32_t> looks{6, 8, 10, 12, 16};  // numbers of pairs after which to decide; ascending
  double error_share = 0.01;  // allowed rise of the candidate's share of failed requests (a guard)
  double session_effect = 0.15;
  bool forced = false;  // --force: compare runs even if they differ in kind
};

/// TTFT p50 and p95, TPOT p50, output throughput; with SLOs goodput instead of throughput.
GateRule default_gate_rule(bool with_slos);

/// The numbers of pairs after which a gate of at most this many decides: 6, 8, 10, 12, 16, then every fourth,
/// and its end. With fewer than six pairs it cannot decide.
std::vector<std::uint32_t> gate_looks(std::uint32_t most_pairs);
/// The next look after this many counted pairs; nothing after the last one.
std::optional<std::uint32_t> next_look(const GateRule& rule, std::uint32_t counted);

/// The same load at both servers, measured one right after the other.
struct GatePair {
  const PointResult* baseline = nullptr;
  const PointResult* candidate = nullptr;
};

/// Judges the pairs so far. Undecided before the first look and between looks. `at_end`: no pair will follow,
/// so this is a look too, and the verdict says what would settle it. Pairs with a member that is
/// untrustworthy or interrupted are excluded; if more than max(5, the number that counts) are excluded, the
/// verdict is untrustworthy. Guards (error share, fewer good answers than planned) apply at once: before the
/// first look they divide the failures so far by all the requests until then, so that one failure of a short
/// run decides nothing. `low` and `high` of a change are the bounds that decide: it fails when the one on the
/// better side exceeds `limit`.
Verdict judge_pairs(const GateRule& rule, std::span<const GatePair> pairs, bool at_end);

/// Differences in kind between answers of the same requests (a stream or not, lengths, how tokens are
/// counted), a sentence each; empty without any.
std::vector<std::string> differences_of_answers(const PointResult& baseline, const PointResult& candidate);

/// Compares runs of two sessions by run (Welch): they fail only beyond the session's own effect. Runs that
/// were measured in turn in one job are pairs instead. Each load point that both have is judged; others are
/// named. Throws UsageError for a single run of a side, unless every metric's `least` is 20 % or more (a
/// guard against catastrophes, by the intervals of the figures themselves), for results of several targets
/// and of gates, and, unless forced, for runs that differ in kind.
Verdict judge_runs(const GateRule& rule, std::span<const RunResult> baseline,
                   std::span<const RunResult> candidate);

/// Why the two runs differ in kind, a sentence each: workload, load, open-loop schedule, token counts, major
/// version of the tool. Load points that only one of them has count only if they have none in common. Empty:
/// they may be compared.
std::vector<std::string> differences_of_kind(const RunResult& one, const RunResult& other);
/// The same for their environment: machine, kernel, server version, model name; a note, not a refusal.
std::vector<std::string> differences_of_surroundings(const RunResult& one, const RunResult& other);

/// The smallest true change of TTFT p50 (of the rule's first metric if it has no TTFT p50) that this rule
/// finds at least 95 % of the time, where a run's own figure varies by the coefficient `run_cv`. Computed by
/// simulated gates with a fixed seed. Nothing where it finds none up to ten times the figure.
std::optional<double> smallest_change_found(const GateRule& rule, double run_cv);

/// What pairs of two equal servers show about the pipeline itself.
struct MetricNoise {
  std::string metric, statistic;
  std::uint32_t pairs = 0;       // that have the figure on both sides
  std::optional<double> spread;  // standard deviation of ln(candidate / baseline); of at least two pairs
  /// The smallest `least` with which, at this noise, fewer than one in a hundred equal gates fail, over all
  /// the rule's metrics together.
  std::optional<double> least;
};
std::vector<MetricNoise> noise_of_pairs(const GateRule& rule, std::span<const GatePair> pairs);

}  // namespace infermeter
