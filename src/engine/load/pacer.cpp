#include "engine/load/pacer.hpp"

#include <algorithm>
#include <limits>

namespace infermeter {
namespace {

// The cap of one worker; those of all add up to the whole, since there are never more workers than that.
std::uint32_t cap_of(std::uint32_t whole, WorkerShare share) {
  const std::uint64_t of_shard = share.shard.share(whole);
  return static_cast<std::uint32_t>(Shard{share.index, share.count}.share(of_shard));
}

}  // namespace

nanoseconds next_rest(nanoseconds last) {
  constexpr nanoseconds kFirst = 100ms;
  constexpr nanoseconds kLongest = 2s;
  return std::clamp(last * 2, kFirst, kLongest);
}

ClosedPacer::ClosedPacer(const Load& load, WorkerShare share, Instant t0)
    : load_(load),
      part_(share.of_all()),
      warmup_end_(t0 + load.warmup_duration.value_or(0s)),
      slots_(load.concurrency) {
  constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t warmup = load.warmup_requests.value_or(0);
  last_id_ = load.requests && !load.warmup_duration ? warmup + *load.requests : unlimited;
  // The measured requests follow those of the warm-up; after a warm-up by time any of the sequence may be the
  // first.
  measured_left_ = !load.requests ? unlimited
                                  : part_.share_of_slots(warmup + *load.requests, load.concurrency) -
                                        part_.share_of_slots(warmup, load.concurrency);
  for (std::uint32_t s = part_.rank; s < load.concurrency; s += part_.of) {
    slots_[s].free_since = t0;
    free_.push_back(s);
  }
  if (!mine(next_id_)) advance_id();
}

bool ClosedPacer::mine(std::uint64_t id) const { return id % load_.concurrency % part_.of == part_.rank; }

void ClosedPacer::advance_id() {
  do ++next_id_;
  while (!mine(next_id_));
}

Phase ClosedPacer::phase_at(Instant intended) const {
  const bool warm =
      load_.warmup_duration ? intended < warmup_end_ : next_id_ < load_.warmup_requests.value_or(0);
  return warm ? Phase::warmup : Phase::measured;
}

std::optional<Release> ClosedPacer::next(Instant now) {
  while (!resting_.empty() && resting_.top().until <= now) {
    const auto [until, slot] = resting_.top();
    resting_.pop();
    slots_[slot].free_since = until;
    free_.push_back(slot);
  }
  if (free_.empty() || exhausted(now)) return std::nullopt;
  const std::uint32_t slot = free_.front();
  const Instant intended = slots_[slot].free_since;
  const Phase phase = phase_at(intended);
  if (phase == Phase::measured) {
    if (measured_left_ == 0) {
      warmup_over_ = true;
      return std::nullopt;
    }
    warmup_over_ = true;
    --measured_left_;
    if (!measured_end_ && load_.duration) measured_end_ = std::max(intended, warmup_end_) + *load_.duration;
  }
  free_.pop_front();
  const Release release{.index = next_id_, .intended = intended, .phase = phase, .slot = slot};
  advance_id();
  return release;
}

void ClosedPacer::freed(std::uint32_t slot, Instant end, Ended how, Instant now) {
  Slot& freed = slots_[slot];
  if (how != Ended::refused) {
    freed.rest = {};
    freed.free_since = end;
    free_.push_back(slot);
    return;
  }
  ++backoffs_;
  freed.rest = next_rest(freed.rest);
  resting_.push({now + freed.rest, slot});
}

std::optional<Instant> ClosedPacer::wake() const {
  if (resting_.empty()) return std::nullopt;
  return resting_.top().until;
}

bool ClosedPacer::exhausted(Instant now) const {
  return next_id_ >= last_id_ || (measured_left_ == 0 && warmup_over_) || time_over(now);
}

OpenPacer::OpenPacer(const Load& load, const Schedule& schedule, WorkerShare share, Instant t0)
    : schedule_(schedule),
      part_(share.of_all()),
      t0_(t0),
      next_(part_.rank),
      cap_(cap_of(load.max_in_flight, share)),
      drop_(load.drop_at_cap) {
  if (load.duration) end_ = t0 + schedule.measured_from + *load.duration;
}

std::optional<Release> OpenPacer::next(Instant now) {
  if (exhausted(now) || t0_ + schedule_.offsets[next_] > now) return std::nullopt;
  if (at_cap() && !drop_) return std::nullopt;
  Release release{.index = next_, .intended = t0_ + schedule_.offsets[next_]};
  release.phase = schedule_.phase_of(next_);
  release.dropped = at_cap();
  if (!release.dropped) ++in_flight_;
  next_ += part_.of;
  return release;
}

void OpenPacer::freed(std::uint32_t, Instant, Ended, Instant) { --in_flight_; }

std::optional<Instant> OpenPacer::wake() const {
  if (next_ >= schedule_.offsets.size() || (at_cap() && !drop_)) return std::nullopt;
  return t0_ + schedule_.offsets[next_];
}

std::optional<std::uint64_t> OpenPacer::upcoming() const {
  if (next_ >= schedule_.offsets.size()) return std::nullopt;
  return next_;
}

bool OpenPacer::exhausted(Instant) const { return next_ >= schedule_.offsets.size(); }

}  // namespace infermeter
