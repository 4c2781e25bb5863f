#include "sim/http/outbox.hpp"

#include <algorithm>

namespace infermeter::sim {

void Outbox::mark(EventKind kind, std::uint32_t choice, std::uint32_t tokens) {
  marked_.push_back({{kind, choice, tokens, Instant{}}, bytes_.size()});
}

std::size_t Outbox::held_events() const {
  const auto held = [this](const Marked& m) { return m.end > ready_; };
  return static_cast<std::size_t>(std::count_if(marked_.begin(), marked_.end(), held));
}

void Outbox::wrote(std::size_t n, Instant at) {
  std::size_t complete = 0;
  for (; complete < marked_.size() && marked_[complete].end <= n; ++complete) {
    if (!keep_) continue;
    sent_.push_back(marked_[complete].event);
    sent_.back().at = at;
  }
  marked_.erase(marked_.begin(), marked_.begin() + static_cast<std::ptrdiff_t>(complete));
  for (auto& m : marked_) m.end -= n;
  bytes_.erase(0, n);
  ready_ -= n;
}

}  // namespace infermeter::sim
