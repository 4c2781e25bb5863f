#include "engine/load/conversation_pacer.hpp"

#include <algorithm>
#include <utility>

namespace infermeter {

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
    due_ = {};  // else `wake` would go on naming what will not be sent
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

// With an end by time, turns that wait for their think time are given up when it comes.
bool ConversationPacer::exhausted(Instant now) const {
  return starts_->exhausted(now) && (starts_->time_over(now) || going_ == 0);
}

}  // namespace infermeter
