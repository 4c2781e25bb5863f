// Where a stream's events go: framed as HTTP chunks into the outbox, and marked there. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/http/outbox.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {

class EventSink {
 public:
  /// `outbox` outlives it; with `crlf` lines end so.
  EventSink(Outbox& outbox, Framing framing, bool crlf);

  /// Begins an event, named where `name` is not empty; its data is appended to what is returned.
  std::string& begin(std::string_view name = {});
  /// Ends it. The string keeps its room, so that a token allocates nothing.
  void end(EventKind kind, std::uint32_t choice = 0, std::uint32_t tokens = 0);
  /// Ends what the truth does not list: a sign of life.
  void end_unlisted();
  void comment(std::string_view text);

 private:
  Outbox& outbox_;
  Framing framing_;
  std::string_view line_end_;
  std::string event_;
};

}  // namespace infermeter::sim
