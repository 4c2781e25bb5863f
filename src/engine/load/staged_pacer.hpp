// A closed loop whose number of slots follows --stages: it rises and falls linearly within a ramp. One per
// worker; time is a parameter.
#pragma once

#include <set>

#include "engine/load/pacer.hpp"

namespace infermeter {

/// Slot s is open while the stages ask for more than s requests in flight; a slot that closes ends its
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
