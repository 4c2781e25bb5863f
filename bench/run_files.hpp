// The files of a benchmark run, read back: the server's truth, infermeter's records, the launcher's figures.
// Readers throw std::exception naming the file.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace infermeter::bench {

/// One request as the server saw it; CLOCK_MONOTONIC nanoseconds.
struct ServerTruth {
  std::int64_t arrived_ns = 0;
  std::vector<std::int64_t> sent_ns, written_ns;  // before and after each token-bearing event's write
  std::int64_t closing_ns = 0, closed_ns = 0;     // before and after that of the end
};
/// By X-Request-Id.
std::unordered_map<std::string, ServerTruth> read_truth(const std::string& path);

/// One request as infermeter recorded it; offsets from the run's start in microseconds.
struct ClientRecord {
  std::string id;  // its X-Request-Id
  std::int64_t sent_us = 0;
  std::vector<std::int64_t> arrivals_us;  // one per token-bearing event
  std::uint64_t events = 0, packed = 0, late = 0;
  bool ok = false;
};
struct ClientRun {
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
