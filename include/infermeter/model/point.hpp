// The result of one load point: what was measured there, and whether it is valid. Plain values; latencies in
// milliseconds, rates per second. Computed by analysis from the point's records and its load.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/names.hpp"
#include "infermeter/model/outcome.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/server_metrics.hpp"

namespace infermeter {

/// One percentile with its 95 % confidence interval (docs/statistics.md). Only `low`: too few requests for an
/// upper bound, and reports show `≥ low` instead of the interval. On the low side of a rate the opposite:
/// only `high`, shown as `≤ high`.
struct Percentile {
  double percentile = 50;  // 50, 90, 95, 99, 99.9; for rates the low side: 50, 10, 5, 1
  double value = 0;
  std::optional<double> low, high;
  /// Of a main figure whose interval ends more than a quarter beyond the value on its bad side, or has no
  /// bound there: what it takes until it does not, "about 2,000 requests". Not saved.
  std::string needed = {};
};

struct Metric {
  std::string name;         // as in docs/metrics.md: "ttft", "itl", …
  std::string unit;         // "ms", "tokens/s", "count"
  std::uint64_t count = 0;  // samples: requests, or tokens/events for itl and icl
  double mean = 0, stddev = 0, min = 0, max = 0;
  double n_eff =
      0;  // effective number of independent samples, of the median; 0 for token- and event-level metrics
  std::vector<Percentile> percentiles;
  bool low_tail = false;                      // a rate: its tail is the low side
  std::optional<double> mean_low, mean_high;  // 95 %; as for percentiles, absent for want of data
  const Percentile* find(double percentile) const;
};

/// By its name; null: there is none.
const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name);

/// How far arrivals that are not exact may move a statistic: it may be `less` smaller or `more` greater.
struct PossibleError {
  std::string metric, statistic;  // "ttft", "p95"
  double less = 0, more = 0;      // in the metric's unit
  double largest() const { return less > more ? less : more; }
};

struct OutcomeCount {
  Outcome outcome = Outcome::ok;
  int status = 0;  // for http_error and param_rejected
  std::uint64_t count = 0;
  std::string example;  // the first one's error text
};

/// Rates of one window of the run.
struct Rates {
  double window_s = 0;
  double request = 0, input = 0, output = 0, total = 0;  // per second; tokens by arrival
  std::optional<double> output_half_width;               // 95 %, by ten blocks of time
  double concurrency = 0;                                // time-weighted mean in flight
  std::optional<double> request_half_width, input_half_width, total_half_width;  // like the output's
};

enum class CheckState : std::uint8_t { passed, warning, failed, not_applicable };
template <>
inline constexpr std::array<std::string_view, 4> kNamesOf<CheckState>{"passed", "warning", "failed",
                                                                      "not_applicable"};

/// docs/metrics.md, "Validity".
enum class CheckKind : std::uint8_t {
  generator,
  client,
  client_limit,
  stream,
  speed,
  steady,
  lengths,
  tokens,
  prompt_lengths,
  cold,
  in_flight,
  little,
  complete,
};
template <>
inline constexpr std::array<std::string_view, 13> kNamesOf<CheckKind>{
    "generator", "client",         "client_limit", "stream",    "speed",  "steady",  "lengths",
    "tokens",    "prompt_lengths", "cold",         "in_flight", "little", "complete"};

struct Check {
  CheckKind kind = CheckKind::generator;
  CheckState state = CheckState::passed;
  std::string evidence;  // one sentence with the figures
  std::string advice;    // what to do; empty when passed
};

struct Validity {
  /// False exactly when "generator", "client" or "client_limit" failed, or "complete" of a report.
  bool trustworthy = true;
  bool partial = false;  // the run was killed or interrupted: this is a partial result
  std::vector<Check> checks;
};

struct Finding {
  std::string id;  // "cold_start", "prefix_cache", …
  std::string text;
};

/// Offsets from the run's start.
struct TimeSpan {
  std::uint64_t from_us = 0, to_us = 0;
};

/// What the figures need to know about one kind of traffic.
struct ClassLoad {
  std::string name;  // empty for the only one
  bool probe = false, own_loop = false;
  bool exact_output = false;
  bool cold = false;    // no part of its prompts should be in the server's cache
  bool fresh = true;    // no server has seen its prompts before this run: synthetic text after a new nonce
  bool primed = false;  // its shared prefixes were sent before the measurement (--prime)
  std::vector<Threshold> slos;
};

/// The requested load of one point, and facts about it that its records do not contain.
struct LoadPoint {
  bool open_loop = false;
  std::uint32_t concurrency = 1;
  double rate = 0;
  Arrival arrival = Arrival::closed;
  double cv = 1;
  std::uint32_t max_in_flight = 0;
  std::uint64_t seed = 1;
  std::uint32_t workers = 1;
  std::optional<std::uint64_t> requests;  // requested
  std::optional<double> duration_s;       // requested
  std::optional<std::uint64_t> warmup_requests;
  std::optional<double> warmup_s;
  std::uint64_t scheduled_requests = 0;  // open loop: in the measured schedule
  std::string schedule_hash;             // open loop: 16 hex digits
  Shard shard;                        // the shard of these records; all other members describe the whole load
  std::uint64_t shard_scheduled = 0;  // open loop, a shard's: its part of `scheduled_requests`
  std::string replay;                 // trace: its speed, "2x"; else empty
  std::string stages;                 // as given; empty: constant load
  std::string shape;                  // "1k/128" of --shape; empty: the classes' own lengths
  std::uint32_t input_tokens = 0;     // requested; 0: not a single number
  std::uint32_t output_tokens = 0;    // requested, likewise
  bool exact_output = false;          // lengths were forced: the "lengths" check applies
  bool stream = true;
  double comfort_ms = 30;
  bool conversations = false;      // `requests` counts conversations
  bool in_blocks = false;          // measured in blocks between those of other targets
  std::vector<TimeSpan> blocks;    // these blocks, once they are measured
  std::string nonce;               // of this point
  std::vector<ClassLoad> classes;  // ≥ 1, by the records' traffic_class
  std::uint32_t max_retries = 0;
  std::uint32_t run = 1;  // the number of this measurement of the load (--runs; pairs of a gate)
};

/// The load by which a shard's records are judged: its own part (of a whole load all of it).
LoadPoint own_part(const LoadPoint& load);

/// How many requests met every SLO (docs/metrics.md, slo_attainment); failed, aborted and dropped requests
/// are misses. Wilson interval with n_eff.
struct SloResult {
  std::vector<std::string> slos;  // as given
  std::uint64_t requests = 0, met = 0;
  double attainment = 0, low = 0, high = 0;
  double goodput = 0;                        // requests per second that met them, in the window of the rates
  std::optional<double> goodput_half_width;  // 95 %, by ten blocks of time
  /// Share that met each SLO alone; nothing where no answer has its figure (itl without known tokens per
  /// event). No request misses such an SLO, and `requests` is 0 if there is no other.
  std::vector<std::pair<std::string, std::optional<double>>> each;
  /// Answers without a figure that others have (tpot of a single token); they are misses.
  std::vector<std::pair<std::string, std::uint64_t>> without;
  /// Answers whose speed is not known (check `speed`): an SLO on it does not judge them.
  std::vector<std::pair<std::string, std::uint64_t>> unjudged;
};

/// The property that the requests of a slice share.
enum class SliceKind : std::uint8_t { traffic_class, turn, cache, group, cancel };
template <>
inline constexpr std::array<std::string_view, 5> kNamesOf<SliceKind>{"class", "turn", "cache", "group",
                                                                     "cancel"};

/// Requests of a point with a common property, with all their metrics.
struct Slice {
  SliceKind by = SliceKind::traffic_class;
  std::string name;  // the class's name; "1" for the first turn; "cold" or "warm"; "cancelled"
  std::uint64_t requests = 0, ok = 0;
  std::vector<OutcomeCount> outcomes;
  std::vector<Metric> metrics;
  double request_throughput = 0, output_throughput = 0;  // over the window of the point's rates()
  std::uint64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;
  std::optional<SloResult> slo;
  const Metric* find(std::string_view metric) const;
};

struct Cost {
  double total = 0;   // of all measured requests
  double per_1k = 0;  // of 1,000 ok answers
  /// "server" (usage.cost), "prices", "per_hour"; with ", partly estimated" where some requests have no count
  std::string source;
};

/// Effect of the server's prefix cache; absent where it reports no cached tokens.
struct CacheFacts {
  std::uint64_t requests = 0;  // that report cached tokens
  double hit_share = 0;        // cached tokens / prompt tokens
  double mean_cached = 0;      // tokens a request
};

struct RateLimitFacts {
  std::uint64_t limited = 0;            // answers 429 and 503, also those that were retried
  std::optional<double> retry_after_s;  // the longest wait that they asked for
  double waited_s = 0;                  // --on-rate-limit wait: time in which nothing was started
  HeaderValues headers;                 // the last x-ratelimit-* seen
  /// The limits that the last answer with a used-up limit named, and when each resets, as received:
  /// {"x-ratelimit-remaining-tokens", "6.5s"}; the second is empty where the server does not say.
  HeaderValues used_up;
};

/// 95 % interval of the share of requests that failed (Wilson), and the number of independent requests that
/// they are worth: neighbouring requests fail together.
struct ErrorBounds {
  double n_eff = 0, low = 0, high = 0;
};

/// What the server's own metrics say of the measured phase: all that it did in it, for whomever.
struct ServerWindow {
  std::string from;                       // "vllm", "sglang", …
  double from_s = 0, to_s = 0;            // when the scrapes at its edges were made, from the run's start
  std::uint64_t scrapes = 0, failed = 0;  // read, and not
  std::vector<Metric> times;              // "queue", "prefill", …: ms; the mean is exact, a percentile is
                                          // interpolated between `low` and `high`, the edges of its bucket
  std::vector<GaugeSummary> gauges;       // at least three scrapes within the window
  std::vector<std::pair<std::string, double>> counts;  // increases: "preemptions", …
  std::vector<ServerLevels> course;                    // over time; of a long measurement every few scrapes
  std::uint64_t own_requests = 0;                      // ours that ended between the two scrapes
  std::string problem;                                 // of the last that failed
  std::string missing;                                 // why there are none of these; empty: there are
  const Metric* find(std::string_view time) const;
  std::optional<double> count(std::string_view name) const;
};

struct PointResult {
  std::uint32_t point = 0;
  std::uint32_t target = 0;
  LoadPoint load;

  std::uint64_t requests = 0;  // measured ones, whatever their class
  std::uint64_t warmup_requests = 0;
  std::uint64_t ok = 0;
  std::vector<OutcomeCount> outcomes;  // measured requests; ok first, then by count
  std::optional<ErrorBounds> errors;   // of the share; nothing in results of older versions
  std::vector<std::pair<std::string, std::uint64_t>> finish_reasons;
  std::vector<std::pair<std::string, std::uint64_t>> flags;  // of measured ok requests

  std::vector<Metric> metrics;  // in the order of docs/metrics.md; absent where there is no sample
  std::optional<Rates> steady;  // the steady window, or nothing (too few requests)
  Rates whole;                  // measured phase, from first start to last end
  double steady_from_s = 0, steady_to_s = 0;  // offsets from the run's start
  std::optional<double> offered;  // open loop: requests per second that the schedule of the window asks for
  std::optional<double> served;   // open loop: requests per second that ended ok in that window

  std::optional<TokenSource> token_source;  // nothing: no answer
  double tokens_per_event = 0;              // 0: unknown
  std::optional<double> comfort;            // share of tokens with itl within comfort_ms; absent without itl
  std::uint64_t prompt_tokens = 0, output_tokens = 0, reasoning_tokens = 0, cached_tokens = 0,
                cache_write_tokens = 0;  // sums, ok requests
  std::uint64_t generated_events = 0;
  std::uint64_t only_reasoning = 0;
  std::optional<Reasoning> reasoning;  // nothing: no answer

  double late_share = 0, packed_share = 0;  // of token-bearing events
  double unstamped_share = 0;               // of reads
  double client_lag_p99_ms = 0;             // of max(loop_delay, lag) per read
  double client_lag_max_ms = 0;             // the longest time that bytes waited for the client
  /// Those that are not 0; nothing where records of an older version do not tell.
  std::optional<std::vector<PossibleError>> possible_errors;
  double client_cpu_share = 0;           // of the cores available to this target's workers; 0: unknown
  std::optional<double> achieved_ratio;  // open loop

  std::uint64_t ramp_requests = 0;
  std::uint64_t conversations = 0;  // of the measured requests
  std::uint64_t retries = 0, retried_requests = 0;
  std::vector<Metric> server_metrics;   // the server's own times: "queue", "prefill", "decode", "ttft"
  std::string server_times_from;        // "vllm metrics", "groq usage", …; empty: none
  std::optional<TtftParts> ttft_parts;  // nothing: the server tells no queue time
  std::optional<ServerWindow> scraped;  // nothing: its metrics were not read
  std::optional<SloResult> slo;         // of all classes together, each by its own SLOs
  std::optional<Cost> cost;
  std::optional<CacheFacts> cache;
  std::optional<RateLimitFacts> rate_limits;
  std::optional<double> item_throughput;  // embeddings: vectors per second
  std::optional<double> output_per_gpu;   // tokens per second and GPU, if the number of GPUs is known
  std::vector<Slice> slices;

  Validity validity;
  std::vector<Finding> findings;

  const Metric* find(std::string_view metric) const;
  /// Null: 0, or not known.
  const PossibleError* error_of(std::string_view metric, std::string_view statistic) const;
  /// Those of the steady window, or of the whole measured phase without one.
  const Rates& rates() const { return steady ? *steady : whole; }
  /// Whether an assertion, a knee or a cliff may be drawn from rates(). Not without a steady window; where
  /// there can be none (targets that took turns, results of other tools) a closed loop needs three requests a
  /// slot.
  bool has_steady_rate() const;
  /// Measured requests from which a closed loop has a steady rate; 0 in open loop.
  std::uint64_t requests_for_steady_rate() const;
  /// Whether anything was measured: an ok answer, or a slice with its own figures (streams that we closed).
  bool has_figures() const;
};

}  // namespace infermeter
