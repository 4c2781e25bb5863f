#include "engine/load/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace infermeter {
namespace {

// The cap of one worker; the caps of all workers add up to the whole, as there are never more workers than
// that.
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
  // The measured requests follow those of the warm-up; after a warm-up by time, measurement may begin at any
  // request of the sequence.
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

std::optional<Instant> ClosedPacer::end(Instant since) const {
  if (measured_end_ || !load_.duration) return measured_end_;
  return std::max(since, warmup_end_) + *load_.duration;
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

// Without an end by time, requests that wait at the cap are all sent, as long as slots become free.
std::optional<Instant> OpenPacer::end(Instant since) const {
  if (end_ || schedule_.offsets.empty()) return end_;
  return std::max(since, t0_ + schedule_.offsets.back());
}

std::optional<Release> OpenPacer::unsent() {
  if (next_ >= schedule_.offsets.size()) return std::nullopt;
  const Release release{.index = next_,
                        .intended = t0_ + schedule_.offsets[next_],
                        .phase = schedule_.phase_of(next_),
                        .dropped = true};
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

ConversationPacer::ConversationPacer(std::unique_ptr<Pacer> starts, ConversationScript script)
    : starts_(std::move(starts)), script_(std::move(script)) {}

std::uint32_t ConversationPacer::open(const Release& start) {
  const Conversation fresh{start, 0, std::max(1u, script_.turns(start.index))};
  ++going_;
  if (unused_.empty()) {
    conversations_.push_back(fresh);
    return static_cast<std::uint32_t>(conversations_.size() - 1);
  }
  const std::uint32_t slot = unused_.back();
  unused_.pop_back();
  conversations_[slot] = fresh;
  return slot;
}

Release ConversationPacer::turn_of(std::uint32_t slot, Instant intended) const {
  const Conversation& conversation = conversations_[slot];
  Release release = conversation.start;
  release.slot = slot;
  release.turn = conversation.turn;
  release.last_turn = conversation.turn + 1 == conversation.turns;
  release.intended = intended;
  return release;
}

std::optional<Release> ConversationPacer::next(Instant now) {
  if (exhausted(now)) {
    due_ = {};  // else `wake` would return the time of a turn that will not be sent
    return std::nullopt;
  }
  if (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    return turn_of(due.slot, due.at);
  }
  const auto start = starts_->next(now);
  if (!start || start->dropped) return start;
  return turn_of(open(*start), start->intended);
}

void ConversationPacer::freed(std::uint32_t slot, Instant end, Ended how, Instant now) {
  Conversation& conversation = conversations_[slot];
  const bool goes_on = conversation.turn + 1 < conversation.turns && !starts_->time_over(now);
  if (how == Ended::answered && goes_on) {
    ++conversation.turn;
    due_.push({end + script_.think_time(conversation.start.index, conversation.turn), slot});
    return;
  }
  starts_->freed(conversation.start.slot, end, how, now);
  unused_.push_back(slot);
  --going_;
}

std::optional<Instant> ConversationPacer::wake() const {
  auto wake = starts_->wake();
  if (!due_.empty()) wake = wake ? std::min(*wake, due_.top().at) : due_.top().at;
  return wake;
}

// With an end by time, turns still in their think time are dropped when the end comes.
bool ConversationPacer::exhausted(Instant now) const {
  return starts_->exhausted(now) && (starts_->time_over(now) || going_ == 0);
}

StagedPacer::StagedPacer(const Load& load, WorkerShare share, Instant t0)
    : part_(share.of_all()), t0_(t0), slots_(load.concurrency), next_index_(part_.rank) {
  double level = 0;
  for (const auto& stage : load.stages) {
    if (stage.target != level) ramps_.emplace_back(end_, end_ + stage.duration);
    add_ramp(end_, stage, level);
    level = stage.target;
    end_ += stage.duration;
  }
}

// Slot k opens when the level rises above k and closes when it falls to k.
void StagedPacer::add_ramp(nanoseconds from, const LoadStage& stage, double level) {
  const double rise = stage.target - level;
  const auto at = [&](double slot) {
    const double share = std::clamp((slot - level) / rise, 0.0, 1.0);
    return from + nanoseconds(std::llround(share * static_cast<double>(stage.duration.count())));
  };
  const auto low = static_cast<std::uint32_t>(std::ceil(std::min(level, stage.target)));
  const auto high = static_cast<std::uint32_t>(std::ceil(std::max(level, stage.target)));
  for (std::uint32_t i = low; i < high; ++i) {
    const std::uint32_t slot = rise > 0 ? i : high - 1 - (i - low);
    if (slot % part_.of == part_.rank) changes_.push_back({at(slot), slot, rise > 0});
  }
}

void StagedPacer::make_free(std::uint32_t slot, Instant since) {
  slots_[slot].since = since;
  free_.emplace(since, slot);
}

void StagedPacer::advance_to(Instant now) {
  for (; next_change_ < changes_.size() && t0_ + changes_[next_change_].at <= now; ++next_change_) {
    const Change& change = changes_[next_change_];
    Slot& slot = slots_[change.slot];
    slot.open = change.opens;
    if (slot.busy) continue;
    if (change.opens)
      make_free(change.slot, t0_ + change.at);
    else
      free_.erase({slot.since, change.slot});
  }
}

std::optional<Release> StagedPacer::next(Instant now) {
  advance_to(now);
  over_ = exhausted(now);
  if (over_ || free_.empty() || free_.begin()->first > now) return std::nullopt;
  const auto [intended, slot] = *free_.begin();
  free_.erase(free_.begin());
  slots_[slot].busy = true;
  const Release release{.index = next_index_,
                        .intended = intended,
                        .phase = in_ramp(intended - t0_) ? Phase::ramp : Phase::measured,
                        .slot = slot};
  next_index_ += part_.of;
  return release;
}

void StagedPacer::freed(std::uint32_t number, Instant end, Ended how, Instant now) {
  Slot& slot = slots_[number];
  slot.busy = false;
  slot.rest = how == Ended::refused ? next_rest(slot.rest) : nanoseconds(0);
  if (how == Ended::refused) ++backoffs_;
  if (slot.open) make_free(number, how == Ended::refused ? now + slot.rest : end);
}

std::optional<Instant> StagedPacer::wake() const {
  if (over_) return std::nullopt;
  Instant wake = t0_ + (next_change_ < changes_.size() ? changes_[next_change_].at : end_);
  if (!free_.empty()) wake = std::min(wake, free_.begin()->first);  // end of a rest
  return wake;
}

bool StagedPacer::exhausted(Instant now) const { return now >= t0_ + end_; }

bool StagedPacer::in_ramp(nanoseconds offset) const {
  return std::ranges::any_of(ramps_,
                             [&](const auto& ramp) { return ramp.first <= offset && offset < ramp.second; });
}

}  // namespace infermeter
