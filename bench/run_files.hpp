// The files of a benchmark run, read back: the server's truth, infermeter's records, the launcher's figures.
// Readers throw std::exception naming the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace infermeter::bench {

/// One request as the server saw it; CLOCK_MONOTONIC nanoseconds.
struct ServerTruth {
  std::int64_t arrived_ns = 0;
  std::vector<std::int64_t> sent_ns, written_ns;  // before and after each token-bearing event's write
  std::int64_t closing_ns = 0, closed_ns = 0;     // before and after that of the end
  std::int64_t held = 0;                          // events that TCP held back
  std::int64_t lost = 0;                          // segments that arrived only when they were sent again
};
/// By X-Request-Id.
std::unordered_map<std::string, ServerTruth> read_truth(const std::string& path);

/// One request as the simulator's --truth has it (docs/simulator.md).
struct ServedRequest {
  std::string id;
  std::string end;  // done, cut, refused, aborted or open
  std::vector<std::string> faults;
  bool stream = false;
  std::int64_t arrived_ns = 0, ended_ns = 0;
  std::int64_t prompt_tokens = 0, output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::uint64_t events = 0;  // token-bearing ones
};
/// In order of their ends; one id several times if the client sent the request again.
std::vector<ServedRequest> read_served(const std::string& path);

/// One request as infermeter recorded it; offsets from the run's start in microseconds.
struct ClientRecord {
  std::string id;  // its X-Request-Id, of a run with one point and one target
  std::int64_t number = 0, point = 0, target = 0;
  std::int64_t sent_us = 0;
  std::vector<std::int64_t> arrivals_us;  // one per token-bearing event
  std::uint64_t events = 0, packed = 0, late = 0;
  bool ok = false;
  std::string outcome;  // its class
  bool sent = false;
  std::int64_t last_us = 0;  // the last instant that it has: its end, or its beginning at least
  std::optional<std::int64_t> prompt_tokens, output_tokens, cached_tokens;  // only as the server counted them
  std::size_t memory = 0;  // bytes that it takes in the run's memory
};
struct ClientRun {
  std::string id;
  std::int64_t origin_ns = 0;  // the run's start on CLOCK_MONOTONIC
  std::vector<ClientRecord> records;
};
/// `directory` holds result.json and requests.jsonl.
ClientRun read_run(const std::string& directory);

struct LaunchStats {
  std::int64_t start_ns = 0;
  double cpu_s = 0;
  double peak_rss_kb = 0;
};
LaunchStats read_stats(const std::string& path);

}  // namespace infermeter::bench
