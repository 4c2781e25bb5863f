#include "engine/load/staged_pacer.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {

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

// Slot k opens when the level rises past k and closes when it falls to k.
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
  if (!free_.empty()) wake = std::min(wake, free_.begin()->first);  // rests
  return wake;
}

bool StagedPacer::exhausted(Instant now) const { return now >= t0_ + end_; }

bool StagedPacer::in_ramp(nanoseconds offset) const {
  return std::ranges::any_of(ramps_,
                             [&](const auto& ramp) { return ramp.first <= offset && offset < ramp.second; });
}

}  // namespace infermeter
