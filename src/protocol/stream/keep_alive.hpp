// Events that carry nothing: what servers and gateways send so that a connection stays open. Pure; any
// thread.
#pragma once

#include <string_view>

#include "protocol/stream/sse_parser.hpp"

namespace infermeter {

/// "ping", "heartbeat", …: whatever the data of such an event is, it is no part of an answer.
bool is_keep_alive_name(std::string_view name);

/// Data that is no JSON object and no text either: null, one word, a quoted string, a time, or
/// anything under such a name.
bool is_keep_alive(const SseEvent& event);

/// [DONE] in another spelling: quoted, in lower case, after a second "data:".
bool is_done_text(std::string_view data);

}  // namespace infermeter
