// What runs in the next step: continuous batching as vLLM V1 does it. Running sequences first, in order of
// arrival, each one decode token (and drafts) or the next chunk of its prompt; then the waiting ones, first
// come first served, while token budget, sequence slots and KV blocks last. Where blocks run out, the last
// arrived gives way. One owner, one thread; sequences outlive their stay.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/engine/engine_config.hpp"
#include "sim/engine/kv_cache.hpp"
#include "sim/engine/sequence.hpp"
#include "sim/engine/step_time.hpp"

namespace infermeter::sim {

/// A sequence's part of one step; `drafts` of its tokens are proposals.
struct Slice {
  Sequence* sequence = nullptr;
  std::uint32_t tokens = 0;
  std::uint32_t drafts = 0;
};

struct StepPlan {
  std::vector<Slice> slices;
  StepLoad load;
};

class Scheduler {
 public:
  Scheduler(const EngineConfig& config, std::uint32_t blocks);

  /// The latest arrival of all.
  void enqueue(Sequence& sequence);
  /// When there is something to run: at once (zero) while sequences run, else the first arrival.
  std::optional<nanoseconds> first_work() const;
  /// The step that begins at `at`; what arrived later is not in it. Never empty once `first_work() <= at`.
  /// Valid until the next call.
  const StepPlan& plan(nanoseconds at);
  /// The planned slice is computed, but for `rejected` drafts: its full blocks may be shared from now on.
  void commit(const Slice& slice, std::uint32_t rejected);
  /// Takes out the sequences that are done.
  void retire();
  /// Takes out one, wherever it is, from the plan too.
  void drop(Sequence& sequence);

  /// Adds its part: gauges, preemptions and prefix counters.
  void count(EngineCounters& counters) const;

 private:
  void continue_running();
  void admit_waiting(nanoseconds at);
  Slice next_slice(Sequence& sequence) const;
  void schedule(const Slice& slice);
  bool admit(Sequence& sequence, nanoseconds at);
  bool take_blocks(Sequence& sequence, std::uint32_t hits);
  bool secure(Sequence& sequence, std::uint32_t tokens);
  void preempt(Sequence& victim);
  void restart(Sequence& victim);
  void offload(Sequence& victim);
  void bring_back(Sequence& sequence, std::uint32_t tokens);
  void leave_cache(Sequence& sequence);
  Sequence& last_on_device() const;
  std::uint32_t cached_blocks(const Sequence& sequence) const;
  bool offloads() const { return config_.offload_gb_s.has_value(); }

  EngineConfig config_;
  KvCache cache_;
  std::uint32_t watermark_;         // blocks that admission leaves free
  std::uint32_t staging_;           // blocks that offloading keeps free for transfers
  std::vector<Sequence*> running_;  // these, then the waiting ones, are in order of arrival
  std::deque<Sequence*> waiting_;
  StepPlan plan_;
  std::uint32_t budget_ = 0;
  bool preempted_ = false;       // in this step
  std::uint32_t offloaded_ = 0;  // sequences
  std::uint64_t preemptions_ = 0, prefix_queries_ = 0, prefix_hits_ = 0;
};

}  // namespace infermeter::sim
