// A thread of a run: its own transport to one target, its share of every lane, and the resulting records.
#pragma once

#include <deque>
#include <exception>
#include <thread>
#include <vector>

#include "engine/load/load_generator.hpp"
#include "io/files/records_file.hpp"
#include "io/http/curl_transport.hpp"

namespace infermeter {

struct WorkerSetup {
  WorkerShare share;
  const RequestPlan* plan = nullptr;  // pointers must outlive the worker
  const std::vector<Lane>* lanes = nullptr;
  std::uint64_t first_index = 0;  // for an alternating run's later blocks
  const TransportOptions* transport = nullptr;
  WorkerCounters* counters = nullptr;
  RunControl* control = nullptr;
  RunBudget* budget = nullptr;
  RecordsFile* file = nullptr;  // may be null: not saved
  bool save_gaps = true;        // in the file; this run's figures include them in any case
};

class Worker {
 public:
  /// Creates the transport, so that `start` does not have to.
  explicit Worker(const WorkerSetup& setup);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  void start();
  /// Waits for the thread to end.
  void join();
  /// The exception that ended it early (its records up to then are kept), or null.
  std::exception_ptr failure() const { return failure_; }
  bool running() const { return running_; }
  std::deque<RequestRecord>& records() { return records_; }
  /// CPU time and wall time of its thread; valid after `join`.
  nanoseconds cpu_time() const { return cpu_time_; }
  nanoseconds wall_time() const { return wall_time_; }
  std::uint64_t backoffs() const { return backoffs_; }

 private:
  struct LaneRun;
  void serve();
  void run();
  Instant wait_for_start();
  std::vector<LaneRun> make_lanes();
  void note_common_load(const LaneRun& lane);
  void take(RequestRecord&& record);
  void save(RequestRecord& record);

  WorkerSetup setup_;
  CurlTransport transport_;
  std::thread thread_;
  std::atomic<bool> running_{false};
  std::exception_ptr failure_;
  std::deque<RequestRecord> records_;  // growing moves none of them: that would delay the loop
  bool common_load_over_ = false;
  nanoseconds cpu_time_{}, wall_time_{};
  std::uint64_t backoffs_ = 0;
};

/// The number of workers for a load: one per 512 streams, at most half the cores (the server or the kernel
/// needs the rest), at least one. `asked` > 0 wins, but never more workers than slots, or than
/// --max-in-flight.
std::uint32_t worker_count(std::uint32_t asked, const Load& load, std::uint32_t cores);

/// How many of `workers` take part in a lane: no more than it has slots (none if it has no slots: a shard's
/// part of a small lane).
std::uint32_t lane_workers(const Load& load, std::uint32_t workers);

}  // namespace infermeter
