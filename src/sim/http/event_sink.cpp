#include "sim/http/event_sink.hpp"

namespace infermeter::sim {

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
