// Decides what runs in the next step: continuous batching as in vLLM V1. Running sequences come first, in
// order of arrival, each with one decode token (and drafts) or the next chunk of its prompt; then waiting
// ones, first come first served, while token budget, sequence slots and KV blocks last. When blocks run out,
// the last arrival is preempted. One owner, one thread; sequences must stay alive while they are queued.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "sim/engine/engine_config.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/kv_cache.hpp"
#include "sim/engine/step_time.hpp"

namespace infermeter::sim {

enum class Stage : std::uint8_t { waiting, running, done };

/// One request inside the batching engine.
struct Sequence {
  Sequence(const SimRequest& r, nanoseconds arrived, std::uint64_t seed) : request(r), random(seed, r.id) {
    truth.arrived = arrived;
  }

  /// Prompt and generated tokens; the KV of `computed` of them is held. A step computes the rest.
  std::uint32_t known() const { return request.prompt_tokens + generated; }
  std::uint32_t pending() const { return known() - computed; }
  std::uint32_t remaining() const { return request.output_tokens - generated; }

  SimRequest request;
  Stage stage = Stage::waiting;
  std::uint32_t generated = 0;
  std::uint32_t computed = 0;
  std::uint32_t published = 0;  // number of blocks published in the prefix cache
  bool admitted = false;        // at least once
  bool offloaded = false;       // its KV is in the offload store, not in `blocks`
  std::vector<BlockId> blocks;
  RequestTruth truth;
  Random random;  // its own, so that acceptance does not depend on other requests
};

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

  /// The sequence must be the latest arrival.
  void enqueue(Sequence& sequence);
  /// The time of the first work: zero (at once) while sequences run, else the first arrival.
  std::optional<nanoseconds> first_work() const;
  /// The step that begins at `at`, without later arrivals. Never empty once `first_work() <= at`. Valid until
  /// the next call.
  const StepPlan& plan(nanoseconds at);
  /// Marks the planned slice as computed, except `rejected` drafts: its full blocks can be shared from now
  /// on.
  void commit(const Slice& slice, std::uint32_t rejected);
  /// Removes finished sequences.
  void retire();
  /// Removes one sequence from its queue and from the plan.
  void drop(Sequence& sequence);

  /// Adds the scheduler's part: gauges, preemptions and prefix counters.
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
  std::uint32_t watermark_;         // blocks that admission keeps free
  std::uint32_t staging_;           // blocks that offloading keeps free for transfers
  std::vector<Sequence*> running_;  // both in order of arrival
  std::deque<Sequence*> waiting_;
  StepPlan plan_;
  std::uint32_t budget_ = 0;
  bool preempted_ = false;       // in this step
  std::uint32_t offloaded_ = 0;  // sequences
  std::uint64_t preemptions_ = 0, prefix_queries_ = 0, prefix_hits_ = 0;
};

}  // namespace infermeter::sim
