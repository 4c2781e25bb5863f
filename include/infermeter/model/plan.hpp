// What a run is to do, after flags, environment and file are joined: plain values, checked once by cli.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter {

using namespace std::chrono_literals;

using Header = std::pair<std::string, std::string>;

/// How one server is reached. `api_key` and header values are secrets: no reporter reads them.
struct Target {
  std::string name;   // empty for the only one
  std::string url;    // base URL with or without /v1, or a whole path, as given
  std::string model;  // empty: the first of GET /v1/models
  std::string api_key;
  std::vector<Header> headers;
  std::string unix_socket;
  std::string proxy;
  std::vector<std::string> resolve;  // host:port:address, as curl's --resolve
  std::string ca_file, cert_file, key_file;
  bool verify_tls = true;
  bool http2 = false;
  bool fresh_connections = false;
};

struct Timeouts {
  nanoseconds connect = 10s;
  nanoseconds first_token = 600s;
  nanoseconds gap = 300s;   // between token-bearing events
  nanoseconds idle = 300s;  // no bytes at all
  nanoseconds whole = 3600s;
  std::optional<nanoseconds> drain;  // nothing: as `whole`
};

enum class Arrival : std::uint8_t { constant, poisson, gamma };
std::string_view name(Arrival);

/// Closed loop unless `rate` is set.
struct Load {
  std::uint32_t concurrency = 1;
  std::optional<double> rate;  // requests per second
  Arrival arrival = Arrival::poisson;
  double cv = 1.0;                  // coefficient of variation of the gaps, for gamma
  std::uint32_t max_in_flight = 0;  // open loop; 0: no cap
  bool drop_at_cap = false;
  std::optional<std::uint64_t> requests;
  std::optional<nanoseconds> duration;           // whichever ends first; cli sets 30 s if neither is given
  std::optional<std::uint64_t> warmup_requests;  // cli sets one of the two
  std::optional<nanoseconds> warmup_duration;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;  // 0: chosen from the load and the cores
  bool open_loop() const { return rate.has_value(); }
};

/// Where prompts come from: the user's own (`prompts`, in turn), else synthetic text.
struct Prompts {
  std::vector<std::string> prompts;
  std::string source = "synthetic";  // "synthetic", "prompt" or the file's name
  std::uint32_t input_tokens = 512;
  std::string nonce;  // opens each synthetic prompt; new in every run unless given
  std::string system_prompt;
};

enum class Endpoint : std::uint8_t { chat, completions };
std::string_view name(Endpoint);

struct Answers {
  std::uint32_t output_tokens = 128;
  std::optional<bool> exact_output;  // nothing: on for synthetic prompts where the server is known to take it
  bool stream = true;
  std::string extra_body;  // a JSON object as text, merged into each body
};

enum class Format : std::uint8_t { table, json, csv };
enum class Progress : std::uint8_t { automatic, bar, plain, json, none };

struct Output {
  Format format = Format::table;
  std::string directory;  // empty: results/<UTC time>-<model>
  bool save_gaps = true;
  bool save_text = false;
  Progress progress = Progress::automatic;
  bool wide = false;
  nanoseconds comfort = 30ms;  // "within 30 ms": METRICS `comfort`
  std::vector<std::pair<std::string, std::string>> labels;
};

struct Plan {
  Target target;
  Timeouts timeouts;
  Load load;
  Prompts prompts;
  Answers answers;
  Output output;
  nanoseconds wait_ready{};
  bool preflight = true;
  bool strict = false;
  bool kernel_timestamps = true;
  std::optional<double> max_error_rate;
  std::string command_line;  // without secrets
};

}  // namespace infermeter
