// The workers of one target in a session, and what they share. Part of the session.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/session/session.hpp"
#include "engine/session/worker.hpp"

namespace infermeter {

class Crew {
 public:
  /// Makes the transports, so that `start` has nothing left to wait for. `counters`: one for each worker.
  Crew(const SessionSetup& setup, const TargetSession& target, std::deque<WorkerCounters>& counters);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  void start(Instant origin, Instant t0);
  bool running() const;
  void interrupt() { control_.interrupt = true; }
  /// Waits for the workers.
  TargetRecords gather();

 private:
  std::string why_ended_early() const;

  const SessionSetup& setup_;
  RequestPlan plan_;
  TransportOptions transport_;
  RunControl control_;
  RunBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace infermeter
