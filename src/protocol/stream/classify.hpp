// Determines the outcome of a request whose response has ended, from what was read and how the transport
// ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "infermeter/model/record.hpp"
#include "model/secrets/secrets.hpp"
#include "protocol/stream/event_fold.hpp"

namespace infermeter {

/// The detected kind of a response body.
enum class BodyKind : std::uint8_t {
  unknown,  // only white space so far
  events,   // SSE, or one JSON object per line
  json,     // one non-streamed answer
  html,
  error,  // the body of an error status
};

/// The bound that an answer broke, after which nothing more of it was read.
struct Breach {
  Outcome outcome = Outcome::protocol;
  std::string words;
};

struct ResponseEnd {
  BodyKind body = BodyKind::unknown;
  bool stream_asked = true;
  std::string_view items;    // items expected in the answer ("vectors"); empty: tokens
  bool whole_json = false;   // for body json: it is one JSON object
  bool unframed = false;     // … followed by further ones without a line break between them
  std::string_view head;     // the beginning of any body except a stream; the whole body for errors
  std::string_view ignored;  // the beginning of its lines that belong to no event
  Outcome transport = Outcome::ok;
  std::string_view message;  // the transport's outcome
  Breach breach{};           // without words: none
  bool head_was_cut = false;
  Secrets secrets{};  // masked in every text
};

/// True if the answer is complete although the transport did not end well: [DONE] came, or a finish reason
/// followed by silence.
bool ended_before_transport(const EventFold& fold, Outcome transport);

/// Sets outcome, error and the flags that depend on them; the record's token counts are already final.
void classify(const ResponseEnd& end, const EventFold& fold, RequestRecord& record);

}  // namespace infermeter
