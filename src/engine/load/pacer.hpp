// When the next request is due, and which: the load generator asks, a pacer answers. Pure machines in which
// time is a parameter; one per worker, who owns the requests i of the one global sequence that fall to it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/record.hpp"
#include "workload/schedule/arrivals.hpp"

namespace infermeter {

/// Worker `index` of `count` of a shard of the run.
struct WorkerShare {
  std::uint32_t index = 0;
  std::uint32_t count = 1;
  Shard shard = {};
  /// Its place among the workers of all shards: a shard's own part, split further.
  Shard of_all() const { return {shard.rank + shard.of * index, shard.of * count}; }
};

struct Release {
  std::uint64_t index = 0;  // in the global sequence of its load: which request (or conversation) it is
  std::uint32_t turn = 0;   // of its conversation
  bool last_turn = true;
  Instant intended;
  Phase phase = Phase::measured;
  std::uint32_t slot = 0;
  bool dropped = false;  // at the cap with --on-cap drop: not to be sent
};

/// How a released request ended, as far as a pacer cares.
enum class Ended : std::uint8_t {
  answered,
  failed,
  refused,  // it found no server, or one that limits the rate: its slot rests before the next try
};

/// How long a slot rests that found no server, after it rested `last` before: from 100 ms, doubling, to 2 s.
nanoseconds next_rest(nanoseconds last);

class Pacer {
 public:
  virtual ~Pacer() = default;
  /// The next request that is due at `now`, or nothing.
  virtual std::optional<Release> next(Instant now) = 0;
  /// A released request ended at `end`.
  virtual void freed(std::uint32_t slot, Instant end, Ended how, Instant now) = 0;
  /// When `next` is to be asked again at the latest, if only time is awaited.
  virtual std::optional<Instant> wake() const = 0;
  /// Which request (or conversation) will probably begin next, so that it can be made before it is due.
  virtual std::optional<std::uint64_t> upcoming() const = 0;
  /// No further request will come, whatever happens.
  virtual bool exhausted(Instant now) const = 0;
  /// Its time is over (`exhausted` may also mean that its count is reached).
  virtual bool time_over(Instant now) const = 0;
  /// How often a slot rested because there was no server.
  virtual std::uint64_t backoffs() const { return 0; }
};

/// Closed loop: a slot refills the moment it frees; its next request's `intended` is the end of its last one.
/// Slot s and the requests i ≡ s (mod concurrency) belong to worker s mod workers (of all shards together). A
/// slot whose request was refused rests 100 ms, doubling up to 2 s until one gets through.
class ClosedPacer final : public Pacer {
 public:
  ClosedPacer(const Load& load, WorkerShare share, Instant t0);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return next_id_; }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return measured_end_ && now >= *measured_end_; }
  std::uint64_t backoffs() const override { return backoffs_; }

 private:
  struct Slot {
    Instant free_since;
    nanoseconds rest{};
  };
  struct Resting {
    Instant until;
    std::uint32_t slot;
    bool operator>(const Resting& other) const { return until > other.until; }
  };
  bool mine(std::uint64_t id) const;
  Phase phase_at(Instant intended) const;
  void advance_id();

  Load load_;
  Shard part_;  // of this worker, among those of all shards
  Instant warmup_end_;
  std::uint64_t next_id_ = 0;
  std::uint64_t last_id_;  // exclusive, where the warm-up is a count
  std::uint64_t measured_left_;
  bool warmup_over_ = false;  // a request that would be a measured one was asked for
  std::optional<Instant> measured_end_;
  std::vector<Slot> slots_;  // by slot number; those of others unused
  std::deque<std::uint32_t> free_;
  std::priority_queue<Resting, std::vector<Resting>, std::greater<>> resting_;
  std::uint64_t backoffs_ = 0;
};

/// Open loop: the schedule as it was computed; late means at once, never re-anchored. Worker w takes the
/// arrivals i ≡ w (mod workers), counted over all shards. At the cap a request waits (its `intended` stays)
/// or is dropped.
class OpenPacer final : public Pacer {
 public:
  /// `schedule` is shared by all workers and outlives the pacer.
  OpenPacer(const Load& load, const Schedule& schedule, WorkerShare share, Instant t0);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override;
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return end_ && now >= *end_; }

 private:
  bool at_cap() const { return cap_ != 0 && in_flight_ >= cap_; }
  const Schedule& schedule_;
  Shard part_;
  Instant t0_;
  std::optional<Instant> end_;  // by --duration
  std::size_t next_;
  std::uint32_t cap_;
  bool drop_;
  std::uint32_t in_flight_ = 0;
};

/// How a conversation goes on: asked by its index in the load's sequence.
struct ConversationScript {
  std::function<std::uint32_t(std::uint64_t index)> turns;
  std::function<nanoseconds(std::uint64_t index, std::uint32_t turn)> think_time;
};

/// Turns of conversations over a pacer that says when conversations begin: each further turn is due a think
/// time after the answer before it, and the conversation keeps its slot until its last one. A turn that fails
/// ends its conversation: nobody answers what was not said. A turn's phase is that of its
/// conversation's start. Once `end_at` is over no further turn begins; without it (an end by count) none is
/// left out.
class ConversationPacer final : public Pacer {
 public:
  ConversationPacer(std::unique_ptr<Pacer> starts, ConversationScript script);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return starts_->upcoming(); }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return starts_->time_over(now); }
  std::uint64_t backoffs() const override { return starts_->backoffs(); }

 private:
  struct Conversation {
    Release start;  // as the pacer of starts released it
    std::uint32_t turn = 0, turns = 1;
  };
  struct Due {
    Instant at;
    std::uint32_t slot;
    bool operator>(const Due& other) const { return at > other.at; }
  };
  std::uint32_t open(const Release& start);
  Release turn_of(std::uint32_t slot, Instant intended) const;

  std::unique_ptr<Pacer> starts_;
  ConversationScript script_;
  std::vector<Conversation> conversations_;  // by slot
  std::vector<std::uint32_t> unused_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::size_t going_ = 0;
};

/// A closed loop whose number of slots follows --stages: it rises and falls linearly within a ramp. Slot s is
/// open while the stages ask for more than s requests in flight; a slot that closes ends its
/// request first. Requests that begin within a ramp are Phase::ramp. Slots belong to workers as in
/// ClosedPacer.
class StagedPacer final : public Pacer {
 public:
  StagedPacer(const Load& load, WorkerShare share, Instant t0);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return next_index_; }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return exhausted(now); }
  std::uint64_t backoffs() const override { return backoffs_; }

 private:
  struct Change {
    nanoseconds at;
    std::uint32_t slot;
    bool opens;
  };
  struct Slot {
    bool open = false, busy = false;
    Instant since;  // open and not busy
    nanoseconds rest{};
  };
  void add_ramp(nanoseconds from, const LoadStage& stage, double level);
  void advance_to(Instant now);
  void make_free(std::uint32_t slot, Instant since);
  bool in_ramp(nanoseconds offset) const;

  Shard part_;  // of this worker, among those of all shards
  Instant t0_;
  nanoseconds end_{};
  std::vector<std::pair<nanoseconds, nanoseconds>> ramps_;
  std::vector<Change> changes_;  // in order of time
  std::size_t next_change_ = 0;
  std::vector<Slot> slots_;
  std::set<std::pair<Instant, std::uint32_t>> free_;  // open ones, the longest free first
  std::uint64_t next_index_;
  bool over_ = false;
  std::uint64_t backoffs_ = 0;
};

}  // namespace infermeter
