// An answer as its connection sees it. One thread.
#pragma once

#include <functional>

#include "sim/http/outbox.hpp"

namespace infermeter::sim {

/// What becomes of the connection once the outbox is empty.
enum class Ending { open, keep_alive, close, reset };

struct Reply {
  explicit Reply(bool keep_events) : outbox(keep_events) {}
  Outbox outbox;
  Ending ending = Ending::open;
  std::function<void()> on_ready;  // called when bytes became ready or the ending was set
};

}  // namespace infermeter::sim
