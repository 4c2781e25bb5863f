// Turns of conversations over a pacer that says when conversations begin: each further turn is due a think
// time after the answer before it, and the conversation keeps its slot until its last one. One per worker.
#pragma once

#include <functional>
#include <memory>

#include "engine/load/pacer.hpp"

namespace infermeter {

/// How a conversation goes on: asked by its index in the load's sequence.
struct ConversationScript {
  std::function<std::uint32_t(std::uint64_t index)> turns;
  std::function<nanoseconds(std::uint64_t index, std::uint32_t turn)> think_time;
};

/// A turn that fails ends its conversation: nobody answers what was not said. A turn's phase is that of its
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

}  // namespace infermeter
