// The result of a run: plain values that every reporter reads and none changes. Latencies in milliseconds,
// rates per second. Computed by analysis from records alone (plus `LoadPoint`), so that a saved run gives the
// same result again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/names.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/point.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/verdict.hpp"

namespace infermeter {

inline constexpr int kSchemaVersion = 1;

/// Whether a target did its work; the validity of the measurement is another question.
enum class HealthState : std::uint8_t { good, degraded, failed };
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<HealthState>{"good", "degraded", "failed"};

/// The failed requests of one target at one load, of all its runs (docs/metrics.md, "Health").
struct Health {
  std::uint32_t point = 0, target = 0;  // the first point with this load
  std::uint64_t requests = 0;           // measured ones, without those that we never sent or ended ourselves
  std::uint64_t failed = 0;
  HealthState state = HealthState::good;
  bool lowest_load = true;             // of its target: a sweep has failed only if this one has
  std::vector<OutcomeCount> failures;  // by count, without examples
};

/// One target's figure against that of the reference target (RunResult::against), by blocks of the run
/// (METHOD 5.6: Hodges–Lehmann).
struct Difference {
  std::uint32_t point = 0, target = 0;
  std::string metric, statistic;            // "ttft", "p50"
  std::uint32_t blocks = 0;                 // below 6 there is no change
  std::optional<double> change, low, high;  // relative: +0.2 is 20 % more than the reference
  bool within_noise = false;                // by the 99 % interval, or too small to matter (docs/metrics.md)
  bool absolute = false;                    // `change` is a difference of shares: +0.05 is five points more
  /// Without an interval, what it takes to have one: "about 60 requests a target". Not saved.
  std::string needed = {};
};

/// A target's place among those measured at the same load, better ones first.
struct RankedTarget {
  std::uint32_t point = 0, target = 0;
  bool tied = false;  // cannot be distinguished from the one before it
};

/// The load from which more load costs more than it brings.
struct Knee {
  std::uint32_t point = 0, target = 0;  // without a knee, the highest load of the sweep
  std::string text;                     // the sentence
  bool found = true;                    // false: the last level of the sweep is still the best one
};

/// TTFT against prompt length: a + b·n + c·n² (ms, tokens), from requests at the load of the run.
struct ContextFit {
  std::uint32_t target = 0;
  double a = 0, b = 0, c = 0;
  double max_error = 0;  // relative, at the medians of the fit
  bool superlinear = false;
  std::string text;
};

/// The source of most arrival stamps: the kernel's, or the clock after the read; `mixed`: of several shards.
enum class TimestampSource : std::uint8_t { kernel, user, mixed };
template <>
inline constexpr std::array<std::string_view, 3> kNamesOf<TimestampSource>{"kernel", "user", "mixed"};

/// How one server was reached, and what it reported about itself.
struct TargetFacts {
  std::string name;
  std::string label, region;  // as given; empty: none
  std::string url;            // without credentials
  std::string endpoint;       // "chat", "completions"
  std::string model;
  std::string model_source;  // "asked for", "first of /v1/models"
  std::optional<TimestampSource> timestamp_source;
  std::string http_version;                                 // "1.1", "2"
  std::string proxy;                                        // without credentials; empty if none
  std::string server_header, version, model_entry, engine;  // engine: "vllm", "sglang", …; empty if unknown
  std::string simulated;  // what the simulator simulates: its preset and faults; empty: another server
  std::vector<std::string> system_fingerprints;
  std::optional<double> rtt_ms, tls_ms;
  std::vector<std::string> replicas;  // shown URLs, if there are several
  Prices prices;
  std::uint32_t gpus = 0;
  std::string ended_early;         // why this one stopped before the others, or empty
  std::vector<std::string> notes;  // what preflight changed: "stream_options is refused: left out"
};

struct Environment {
  std::string cpu, kernel, os, governor, build_type, compiler, hostname_hash;
  std::uint32_t cores = 0;
  double load_1min = 0;
  std::uint64_t open_files_limit = 0;
  double client_cpu_share = 0;  // of the cores available to its workers, over the measured phase
  std::optional<TimestampSource> timestamp_source;  // of the first target
};

struct Workload {
  std::string name;    // of the class; empty for the only one
  std::string source;  // "synthetic", "prompt", or the file's name
  std::string input_tokens,
      output_tokens;  // as people write lengths: "512", "uniform:1k,8k"; empty: the file's
  double share = 1;
  std::uint64_t items = 0, bad_lines = 0;  // of a data file
  std::string calibration;  // how prompt lengths were calibrated, with figures; empty: not calibrated
  std::string nonce;
  bool exact_output = false;
  std::string max_tokens_field;  // "max_tokens" or "max_completion_tokens"
  std::string extra_body;
  /// Other options that change its requests, if not the default: {"turns", "3"} for --turns 3.
  std::vector<std::pair<std::string, std::string>> options;
};

struct RunResult {
  std::string tool_version;
  std::string run_id;
  std::string start_utc;
  /// CLOCK_MONOTONIC at offset 0 of the records: aligns them with another log of this machine.
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_unix_ns = 0;  // the same instant on the clock shared by machines; 0: it never began
  std::string command_line;         // without secrets
  std::string plan_hash;            // of the options except the load points: only equal runs can be resumed
  std::string workload_hash;        // of what is sent and how, to any server: only equal runs can be compared
  bool complete = false;            // false in the file written at the start: the run was killed
  bool interrupted = false;
  bool environment_failed = false;     // ended by --max-error-rate, by a command around a point, or because
                                       // nothing succeeded at the lowest load; not saved
  std::uint64_t connect_backoffs = 0;  // rests of a slot that found no server
  std::uint64_t lost_records = 0;      // could not be written to requests.jsonl
  std::string ended_early;             // why, or empty: "error rate 34 % > 10 %"
  std::vector<std::pair<std::string, std::string>> labels;
  Environment environment;
  std::vector<TargetFacts> targets;
  Workload workload;                        // of the first class
  std::vector<Workload> classes;            // of all, where there are several
  std::string scenario;                     // its name, or empty
  std::optional<TargetOrder> target_order;  // nothing: one target
  std::uint32_t against = 0;                // the target with which `differences` compare the others
  std::string sort;                         // the figure of `ranking`, "ttft.p50"; empty: no ranking
  std::uint32_t runs = 1;                   // how often each load should be measured
  std::vector<std::string> asserts;         // --assert, as given: `report` checks them again from the records
  bool assert_point = false;                // --assert-point
  Shard shard;                              // the shard of this result; merged results are whole
  std::vector<PointResult> points;
  std::string sweep_ended;     // why the sweep ended before its last point, or empty
  std::vector<Health> health;  // of every target at every load
  std::vector<Difference> differences;
  std::vector<RankedTarget> ranking;  // point by point, each with its targets in order of `sort`
  std::vector<Knee> knees;
  std::vector<ContextFit> context_fits;
  std::optional<Verdict> verdict;     // of its assertions or its gate, if any
  std::vector<std::string> headline;  // the conclusion of the run in one or two sentences (scenarios)
};

}  // namespace infermeter
