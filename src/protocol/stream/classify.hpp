// The class of a request whose response is over, from what was read and how the transport ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "infermeter/model/record.hpp"
#include "protocol/stream/event_fold.hpp"

namespace infermeter {

/// What a response body turned out to be.
enum class BodyKind : std::uint8_t {
  unknown,  // nothing but white space so far
  events,   // SSE, or one JSON object a line
  json,     // one whole answer
  html,
  error,  // of a status that is no success
};

struct ResponseEnd {
  BodyKind body = BodyKind::unknown;
  bool stream_asked = true;
  std::string_view items;   // that are awaited ("vectors"); empty: tokens
  bool whole_json = false;  // body json: it is one JSON object
  std::string_view head;    // the body's beginning, of anything but a stream; whole for errors
  Outcome transport = Outcome::ok;
  std::string_view message;  // the transport's
};

/// True where the answer is whole though the transport did not end well: [DONE] came, or a finish reason and
/// then silence.
bool ended_before_transport(const EventFold& fold, Outcome transport);

/// Sets outcome, error and the flags that follow; the record's token counts are settled already.
void classify(const ResponseEnd& end, const EventFold& fold, RequestRecord& record);

}  // namespace infermeter
