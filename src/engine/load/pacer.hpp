// Decides when the next request is due, and which one: the load generator asks, a pacer answers. Pure state
// machines with time as a parameter; one per worker, which owns its share of the requests i of the one global
// sequence.
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
  /// Its index among the workers of all shards: splits the shard's own part further.
  Shard of_all() const { return {shard.rank + shard.of * index, shard.of * count}; }
};

struct Release {
  std::uint64_t index = 0;  // index of the request (or conversation) in the global sequence of its load
  std::uint32_t turn = 0;   // turn of its conversation
  bool last_turn = true;
  Instant intended;
  Phase phase = Phase::measured;
  std::uint32_t slot = 0;
  bool dropped = false;  // at the cap with --on-cap drop: must not be sent
};

/// How a released request ended, as far as a pacer needs to know.
enum class Ended : std::uint8_t {
  answered,
  failed,
  refused,  // no server reached, or a rate limit: the slot rests before its next try
};

/// How long a slot rests after a refusal; `last` is its previous rest: from 100 ms, doubling, to 2 s.
nanoseconds next_rest(nanoseconds last);

class Pacer {
 public:
  virtual ~Pacer() = default;
  /// The next request that is due at `now`, or nothing.
  virtual std::optional<Release> next(Instant now) = 0;
  /// A released request ended at `end`.
  virtual void freed(std::uint32_t slot, Instant end, Ended how, Instant now) = 0;
  /// The latest time to call `next` again, if nothing but time has to pass.
  virtual std::optional<Instant> wake() const = 0;
  /// The request (or conversation) that will probably begin next, so that it can be built before it is due.
  virtual std::optional<std::uint64_t> upcoming() const = 0;
  /// No further request will follow.
  virtual bool exhausted(Instant now) const = 0;
  /// Its time is over (`exhausted` may also mean that its count is reached).
  virtual bool time_over(Instant now) const = 0;
  /// Its end by time at the latest, if no request ends after `since`: a warm-up whose slots all stay taken
  /// must not keep a measured phase of limited length from ending. Nothing: it ends by count only.
  virtual std::optional<Instant> end(Instant since) const = 0;
  /// A request of the schedule that has not been released, to be recorded as not sent; one at each call.
  virtual std::optional<Release> unsent() { return std::nullopt; }
  /// How often a slot rested after a refusal.
  virtual std::uint64_t backoffs() const { return 0; }
};

/// Closed loop: a slot is refilled as soon as it is free; its next request's `intended` is the end of its
/// last one. Slot s and the requests i ≡ s (mod concurrency) belong to worker s mod workers (of all shards
/// together). A slot whose request was refused rests 100 ms, doubling up to 2 s until a request gets through.
class ClosedPacer final : public Pacer {
 public:
  ClosedPacer(const Load& load, WorkerShare share, Instant t0);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return next_id_; }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return measured_end_ && now >= *measured_end_; }
  std::optional<Instant> end(Instant since) const override;
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
  Shard part_;  // of this worker, counted over all shards
  Instant warmup_end_;
  std::uint64_t next_id_ = 0;
  std::uint64_t last_id_;  // exclusive, if the warm-up is a count
  std::uint64_t measured_left_;
  bool warmup_over_ = false;  // a request was released after the warm-up
  std::optional<Instant> measured_end_;
  std::vector<Slot> slots_;  // by slot number; other workers' slots are unused
  std::deque<std::uint32_t> free_;
  std::priority_queue<Resting, std::vector<Resting>, std::greater<>> resting_;
  std::uint64_t backoffs_ = 0;
};

/// Open loop: the precomputed schedule; late requests are sent at once, and the schedule is never
/// re-anchored. Worker w takes the arrivals i ≡ w (mod workers), counted over all shards. At the cap a
/// request waits (its `intended` stays) or is dropped.
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
  std::optional<Instant> end(Instant since) const override;
  std::optional<Release> unsent() override;

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

/// The turns of a conversation, by its index in the load's sequence.
struct ConversationScript {
  std::function<std::uint32_t(std::uint64_t index)> turns;
  std::function<nanoseconds(std::uint64_t index, std::uint32_t turn)> think_time;
};

/// Turns of conversations, above a pacer that says when conversations begin: each further turn is due a think
/// time after the previous answer, and the conversation keeps its slot until its last turn. A failed turn
/// ends its conversation, because its history lacks an answer. A turn has the phase of its conversation's
/// start. After `end_at` no further turn begins; without it (an end by count) no turn is omitted.
class ConversationPacer final : public Pacer {
 public:
  ConversationPacer(std::unique_ptr<Pacer> starts, ConversationScript script);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return starts_->upcoming(); }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return starts_->time_over(now); }
  std::optional<Instant> end(Instant since) const override { return starts_->end(since); }
  std::optional<Release> unsent() override { return starts_->unsent(); }
  std::uint64_t backoffs() const override { return starts_->backoffs(); }

 private:
  struct Conversation {
    Release start;  // as released by the pacer of starts
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

/// A closed loop whose number of slots follows --stages: within a ramp it rises or falls linearly. Slot s is
/// open while the stages ask for more than s requests in flight; a closing slot finishes its request first.
/// Requests that begin within a ramp have Phase::ramp. Slots belong to workers as in ClosedPacer.
class StagedPacer final : public Pacer {
 public:
  StagedPacer(const Load& load, WorkerShare share, Instant t0);
  std::optional<Release> next(Instant now) override;
  void freed(std::uint32_t slot, Instant end, Ended how, Instant now) override;
  std::optional<Instant> wake() const override;
  std::optional<std::uint64_t> upcoming() const override { return next_index_; }
  bool exhausted(Instant now) const override;
  bool time_over(Instant now) const override { return exhausted(now); }
  std::optional<Instant> end(Instant) const override { return t0_ + end_; }
  std::uint64_t backoffs() const override { return backoffs_; }

 private:
  struct Change {
    nanoseconds at;
    std::uint32_t slot;
    bool opens;
  };
  struct Slot {
    bool open = false, busy = false;
    Instant since;  // open and idle
    nanoseconds rest{};
  };
  void add_ramp(nanoseconds from, const LoadStage& stage, double level);
  void advance_to(Instant now);
  void make_free(std::uint32_t slot, Instant since);
  bool in_ramp(nanoseconds offset) const;

  Shard part_;  // of this worker, counted over all shards
  Instant t0_;
  nanoseconds end_{};
  std::vector<std::pair<nanoseconds, nanoseconds>> ramps_;
  std::vector<Change> changes_;  // in order of time
  std::size_t next_change_ = 0;
  std::vector<Slot> slots_;
  std::set<std::pair<Instant, std::uint32_t>> free_;  // open slots, the longest idle first
  std::uint64_t next_index_;
  bool over_ = false;
  std::uint64_t backoffs_ = 0;
};

}  // namespace infermeter
