// Keeps one worker's share of the load in flight: starts what its pacer says is due, times out what is too
// slow, and hands over a record for each request that ends. `step(now)` and nothing else makes it move; it
// never waits. One thread.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infermeter/engine/counters.hpp"
#include "infermeter/engine/pacer.hpp"
#include "infermeter/io/transport.hpp"
#include "infermeter/protocol/request_body.hpp"
#include "infermeter/protocol/stream_reader.hpp"
#include "infermeter/workload/prompts.hpp"

namespace infermeter {

/// What all requests of a run have in common; outlives the generators.
struct RequestPlan {
  std::string url;
  std::string run_id;  // X-Request-Id is <run_id>-<id>
  BodyTemplate body;
  PromptSource prompts;
  StreamOptions stream;
  Timeouts timeouts;
  std::vector<std::string> secrets;  // never to be kept of what a server says
  Instant t0;                        // the run's start: origin of every offset
};

using RecordTaker = std::function<void(RequestRecord&&)>;

class LoadGenerator {
 public:
  /// All references outlive the generator.
  LoadGenerator(const RequestPlan& plan, std::uint32_t worker, Pacer& pacer, Transport& transport,
                WorkerCounters& counters, RunControl& control, RecordTaker take);
  ~LoadGenerator();

  /// Does what is due at `now`; returns when it wants to be stepped again at the latest (or when a transfer
  /// moves).
  Instant step(Instant now);
  /// Nothing in flight and nothing to come.
  bool finished() const { return ended_all_; }

 private:
  class Exchange;
  friend class Exchange;

  void finish_ended(Instant now);
  void release_due(Instant now);
  void start(const Release& release, Instant now);
  void drop(const Release& release);
  void check_deadlines(Instant now);
  void end_all(Outcome outcome, std::string_view why, Instant now);
  void cut(Exchange& exchange, Outcome outcome, std::string_view why, Instant now);
  void hand_over(Exchange& exchange, Instant slot_free, Instant now);
  void look_again_by(Instant at) { next_check_ = std::min(next_check_, at); }
  void note_stage(Instant now);

  const RequestPlan& plan_;
  std::uint32_t worker_;
  Pacer& pacer_;
  Transport& transport_;
  WorkerCounters& counters_;
  RunControl& control_;
  RecordTaker take_;
  ChunkParserPtr parser_;
  std::vector<std::unique_ptr<Exchange>> active_;
  std::vector<Exchange*> ended_;
  Instant next_check_ = Instant::max();
  std::optional<Instant> drain_end_;
  bool ended_all_ = false;
};

}  // namespace infermeter
