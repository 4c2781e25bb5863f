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

void Outbox::release_event() {
  const auto held =
      std::find_if(marked_.begin(), marked_.end(), [this](const Marked& m) { return m.end > ready_; });
  ready_ = held == marked_.end() ? bytes_.size() : held->end;
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

EventSink::EventSink(Outbox& outbox, Framing framing, bool crlf)
    : outbox_(outbox), framing_(framing), line_end_(crlf ? "\r\n" : "\n") {}

std::string& EventSink::begin(std::string_view name) {
  if (!name.empty()) {
    event_ += "event: ";
    event_ += name;
    event_ += line_end_;
  }
  return event_ += "data: ";
}

void EventSink::end(EventKind kind, std::uint32_t choice, std::uint32_t tokens) {
  end_unlisted();
  outbox_.mark(kind, choice, tokens);
}

void EventSink::end_unlisted() {
  event_ += line_end_;
  event_ += line_end_;
  append_chunk(outbox_.bytes(), event_, framing_);
  event_.clear();
}

void EventSink::comment(std::string_view text) {
  event_ += ": ";
  event_ += text;
  end_unlisted();
}

}  // namespace infermeter::sim
