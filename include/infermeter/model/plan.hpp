// The plan of a run, after flags, environment and file are merged: plain values, checked once by cli.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/endpoint.hpp"
#include "infermeter/model/names.hpp"
#include "infermeter/model/threshold.hpp"

namespace infermeter {

using namespace std::chrono_literals;

using Header = std::pair<std::string, std::string>;

/// What a target charges, in US dollars (or any one currency); nothing: not known.
struct Prices {
  std::optional<double> input_per_million, cached_per_million, cache_write_per_million, output_per_million;
  std::optional<double> per_hour;  // of the whole target
  bool any() const { return input_per_million || output_per_million || per_hour; }
};

/// The amounts that one or many requests are billed for.
struct BilledTokens {
  double prompt = 0, output = 0;
  double cached = 0, cache_write = 0;  // among the prompt's: read from the cache, written to it
};
/// In the currency of the prices: prompt tokens read from the cache or written to it cost the same as others
/// unless they have their own price.
double token_cost(const BilledTokens& tokens, const Prices& prices);
/// The most that these may cost: the server may write the whole prompt to its cache, at a higher price.
inline double most_token_cost(double prompt, double output, const Prices& prices) {
  const bool dearer = prices.cache_write_per_million > prices.input_per_million;
  return token_cost({.prompt = prompt, .output = output, .cache_write = dearer ? prompt : 0}, prices);
}

/// What is known about a vendor's API and changes the requests to it (configs/vendors); empty: nothing is.
struct VendorFacts {
  std::string vendor;                     // its name, for messages
  std::optional<Endpoint> endpoint;       // the only one that has this limit field and switch; nothing: any
  std::string limit_field;                // empty: the endpoint's
  std::vector<std::string> refused;       // fields that are not sent
  std::string thinking_on, thinking_off;  // JSON objects, parts of a body; empty: by the server's engine
  bool refuses(std::string_view field) const {
    return std::find(refused.begin(), refused.end(), field) != refused.end();
  }
};

/// How to reach one server (or several replicas of it). `api_key` and header values are secrets: no reporter
/// reads them.
struct Target {
  std::string name;                   // empty for the only one
  std::string label;                  // shown instead of the name; empty: none
  std::string region;                 // where the server is, in the user's words; empty: not known
  std::string url;                    // base URL with or without /v1, or a whole path, as given
  std::vector<std::string> replicas;  // further URLs of the same server, used in turn with `url`
  std::optional<Endpoint> endpoint;   // nothing: determined by the URL
  std::string api_version;            // Azure's; empty: none
  std::string auth_header;            // header for the key; empty: the endpoint's default
  std::string model;                  // empty: the first of GET /v1/models
  std::string api_key;
  std::string key_variable;  // the environment variable of the key, for messages; empty: it has none
  std::vector<Header> headers;
  std::string extra_body;  // JSON object merged into each body sent to this target
  VendorFacts facts;
  std::string unix_socket;
  std::string proxy;
  std::vector<std::string> resolve;  // host:port:address, as curl's --resolve
  std::string ca_file, cert_file, key_file;
  std::vector<std::string> metrics_urls;  // pages of the server's own metrics; empty: the usual ones
  bool verify_tls = true;
  bool http2 = false;
  bool fresh_connections = false;
  Prices prices;
  std::uint32_t gpus = 0;          // 0: not known
  std::optional<double> max_cost;  // limit for this target: reaching it ends its part of the run
  std::optional<std::uint64_t> max_tokens_total;  // prompt and output tokens, likewise
};

/// How the targets of a run share the time.
enum class TargetOrder : std::uint8_t {
  at_once,     // all at the same time, each with its own slots, schedule and connections
  alternate,   // short blocks in ABBA order, one target at a time
  sequential,  // one after the other
  pairs,       // whole runs in turn, AB BA AB …: one pair for each measurement of a load point
};
template <>
inline constexpr std::array<std::string_view, 4> kNamesOf<TargetOrder>{"at once", "alternate", "sequential",
                                                                       "pairs"};

struct Timeouts {
  nanoseconds connect = 10s;
  nanoseconds first_token = 600s;
  nanoseconds gap = 300s;   // between token-bearing events
  nanoseconds idle = 300s;  // no bytes at all
  nanoseconds whole = 3600s;
  std::optional<nanoseconds> drain;    // nothing: as `whole`
  std::optional<nanoseconds> command;  // of a command around a point; nothing: as `whole`
  nanoseconds prepare = 5s;            // preflight and calibration, of all targets together
  nanoseconds of_drain() const { return drain.value_or(whole); }
  nanoseconds of_command() const { return command.value_or(whole); }
};

/// How requests of an open loop arrive; `closed`: without a schedule, each as a slot becomes free.
enum class Arrival : std::uint8_t { constant, poisson, gamma, trace, closed };
template <>
inline constexpr std::array<std::string_view, 5> kNamesOf<Arrival>{"constant", "poisson", "gamma", "trace",
                                                                   "closed"};

/// A linear ramp from the previous stage's target (0 at first) to `target` over `duration`; a stage with the
/// same target as the previous one holds the load.
struct LoadStage {
  nanoseconds duration{};
  double target = 0;  // requests per second, or requests in flight
};

/// An integer drawn for each request.
struct Lengths {
  enum class Kind : std::uint8_t {
    fixed,      // a
    uniform,    // a … b, both inclusive
    normal,     // mean a, standard deviation b
    lognormal,  // median a, sigma b (of the logarithm)
    weighted,   // one of `weighted`, by weight
  };
  Kind kind = Kind::fixed;
  double a = 0, b = 0;
  std::vector<std::pair<std::uint32_t, double>> weighted{};
  /// The number if it is always the same, else 0.
  std::uint32_t sole() const { return kind == Kind::fixed ? static_cast<std::uint32_t>(a) : 0; }
  /// Approximately the median and the maximum of the draws: for buffer sizes and for messages.
  double mean() const;
  double most() const;
};

/// One load point. Closed loop unless `rate` is set or `open_stages` says so.
struct Load {
  std::uint32_t concurrency = 1;
  std::optional<double> rate;  // requests per second
  Arrival arrival = Arrival::poisson;
  double cv = 1.0;                // coefficient of variation of the gaps, for gamma
  double replay_speed = 1.0;      // trace: 2 is twice as fast
  std::vector<LoadStage> stages;  // empty: constant load; `rate` or `concurrency` is then the highest target
  std::uint32_t max_in_flight = 0;  // open loop; 0: no cap
  bool drop_at_cap = false;
  std::optional<std::uint64_t> requests;         // conversations, if the workload has turns
  std::optional<nanoseconds> duration;           // whichever ends first; cli sets 30 s if neither is given
  std::optional<std::uint64_t> warmup_requests;  // cli sets one of the two
  std::optional<nanoseconds> warmup_duration;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;  // per target; 0: chosen from the load and the cores
  /// `--shape 1k/128`: replaces every class's lengths at this point.
  std::optional<std::pair<Lengths, Lengths>> shape;
  std::string shape_text;  // as given
  std::uint32_t run = 1;   // its number among the sweep's runs, from 1
  bool open_loop() const { return rate.has_value() || arrival == Arrival::trace; }
};

/// A part of one run that several processes share (--shard r/n). In open loop it takes the arrivals i ≡ rank
/// (mod of) of the common schedule, in closed loop the same share of the slots and of the requests.
struct Shard {
  std::uint32_t rank = 0, of = 1;
  bool whole() const { return of == 1; }
  /// How many of the numbers 0 … n−1 belong to it: i ≡ rank (mod of).
  std::uint64_t share(std::uint64_t n) const { return n / of + (rank < n % of ? 1 : 0); }
  /// How many of the first n requests of a closed loop belong to its slots: request i to slot i mod `slots`.
  std::uint64_t share_of_slots(std::uint64_t n, std::uint64_t slots) const;
};

/// A shard's part of a load: its slots, rate, cap and number of requests. For sizes and messages; which
/// requests belong to it, a pacer computes from the whole load.
Load own_part(const Load& load, Shard shard);

/// Where the prompts of a class come from: the user's own (`prompts`, in turn), a data file, or else
/// synthetic text.
struct Prompts {
  std::vector<std::string> prompts;
  std::string file;                  // --workload FILE; empty: none
  std::string source = "synthetic";  // for reports: "synthetic", "prompt" or the file's name
  bool skip_bad_lines = false;
  Lengths input_tokens{.a = 512};
  bool calibrate = true;  // learn from the server how many tokens a word of synthetic text has
  std::string nonce;      // starts each synthetic prompt; new in every run and point unless given
  bool nonce_given = false;
  std::string system_prompt;

  std::uint32_t shared_prefix_tokens = 0;  // starts every prompt of a group with the same text
  std::uint32_t prefix_groups = 1;
  std::uint32_t prompt_reuse = 1;  // how often each prompt is sent: the first time cold, then warm
  bool prime = false;              // the shared prefixes are sent once before the measurement

  Lengths turns{.a = 1};       // of a conversation
  Lengths think_time{.a = 0};  // in milliseconds, between the end of an answer and the next turn
  std::string session_header;  // has a stable id per conversation; empty: none
  bool session_connection = false;

  std::uint32_t batch = 1;   // texts in one request, where the endpoint takes several
  std::uint32_t images = 0;  // PNGs beside each prompt
  std::uint32_t image_width = 512, image_height = 512;
  bool conversations() const { return turns.kind != Lengths::Kind::fixed || turns.a > 1; }
};

enum class Thinking : std::uint8_t { unsaid, on, off };

struct Answers {
  Lengths output_tokens{.a = 128};
  std::optional<bool> exact_output;  // nothing: on for synthetic prompts if the server is known to take it
  bool stream = true;
  std::string extra_body;        // a JSON object as text, merged into each body
  std::uint32_t choices = 1;     // `n`
  std::uint32_t logprobs = 0;    // top logprobs; 0: none
  std::string reasoning_effort;  // "low", …; empty: not sent
  Thinking thinking = Thinking::unsaid;
  std::string tools;        // JSON array as text; empty: none
  bool json_mode = false;   // response_format json_object
  std::string json_schema;  // JSON object as text: response_format json_schema; empty: none
};

/// --cancel-after: which streams are closed early, and when.
struct Cancel {
  std::optional<nanoseconds> after;  // sent
  std::uint32_t after_tokens = 0;    // events where tokens are unknown; 0: not by tokens
  double share = 1;                  // of the requests, by a hash of seed and id
  bool any() const { return after.has_value() || after_tokens > 0; }
};

/// One kind of traffic. A run without [[class]] blocks has a single one with an empty name.
struct TrafficClass {
  std::string name;
  double share = 1;                          // of the requests of the common load
  std::optional<double> rate;                // or its own open loop, beside the common load
  std::optional<std::uint32_t> concurrency;  // or its own closed loop
  bool probe = false;  // a light load beside the main one: own loop, not limited by max_in_flight
  std::string model;   // empty: the target's
  std::vector<Header> headers;
  Prompts prompts;
  Answers answers;
  Cancel cancel;
  std::vector<Threshold> slos;
  bool own_loop() const { return rate.has_value() || concurrency.has_value(); }
};

enum class OnRateLimit : std::uint8_t { count, wait, stop };

/// The load points of a run and what happens around each.
struct Sweep {
  std::vector<Load> points{Load{}};       // ≥ 1; with `runs` each load this many times, run after run
  std::uint32_t runs = 1;                 // how often each load is measured
  std::uint32_t blocks = 1;               // of a target that is measured alone: sessions of one point
  nanoseconds cooldown{};                 // between points, after the drain
  std::vector<Threshold> stop_when;       // any of them ends the sweep after the point that meets it
  std::string before_point, after_point;  // commands for `sh -c`; empty: none
  std::string resume;                     // folder of a run whose finished points are not measured again
};

/// The built-in simulator, served on loopback by the measuring process.
struct SimulatedServer {
  std::string preset;               // "h100-8b", "fixed:ttft=5ms,itl=2ms"; empty: the default one
  std::vector<std::string> faults;  // "429:10%"; as simulate --fault takes them
  std::string truth;                // file for its log of what it did and when; empty: none
};

/// How a result is shown: by a row of the table of formats (infermeter/report/formats.hpp).
struct Format {
  std::string name = "table";
  bool per_request = false;  // a line per request, where the format supports it
};
enum class Progress : std::uint8_t { automatic, bar, plain, json, none };

struct Output {
  Format format;
  bool save = true;       // false: no folder is made, and the result stays in memory
  std::string directory;  // empty: results/<UTC time>-<model>
  bool save_gaps = true;
  bool save_text = false;
  Progress progress = Progress::automatic;
  bool wide = false;
  nanoseconds comfort = 30ms;  // "within 30 ms": METRICS `comfort`
  std::vector<std::pair<std::string, std::string>> labels;
};

/// How the servers' own metrics are read while they are measured.
struct MetricsPlan {
  bool on = true;
  nanoseconds interval = 1s;
  std::vector<Header> headers;  // of these requests alone
};

struct Plan {
  std::string scenario;                      // its name, or empty
  std::vector<Target> targets{Target{}};     // ≥ 1
  std::optional<SimulatedServer> simulator;  // measured instead of every target's URL
  TargetOrder target_order = TargetOrder::at_once;
  std::uint32_t against = 0;  // the target with which the others are compared
  std::string sort;           // the figure that ranks the targets, "ttft.p50"; empty: as listed
  std::vector<TrafficClass> classes{TrafficClass{}};  // ≥ 1
  Sweep sweep;
  Timeouts timeouts;
  Output output;
  MetricsPlan metrics;
  nanoseconds wait_ready{};
  std::optional<std::int64_t> start_at_unix_ms;  // --start-at: T0 of the first point
  Shard shard;
  std::vector<Threshold> asserts;
  bool assert_point = false;  // the value decides, not its interval
  bool preflight = true;
  bool strict = false;
  bool kernel_timestamps = true;
  std::optional<double> max_error_rate;
  std::optional<nanoseconds> max_time;  // for the whole command, from its start
  OnRateLimit on_rate_limit = OnRateLimit::count;
  std::uint32_t retries = 0;
  std::string command_line;  // without secrets
  /// Values beside the targets' and classes' own that must not come out: of the user's commands and of the
  /// environment. Masked in all that servers and commands write.
  std::vector<std::string> secrets;
};

}  // namespace infermeter
