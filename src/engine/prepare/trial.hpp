// One request before a run, read like a measured one. Part of preflight and of calibration.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/record.hpp"
#include "io/http/transport.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace infermeter {

struct Trial {
  RequestRecord record;
  ErrorBody error;       // of a 4xx/5xx response
  std::string location;  // of a redirect
};

/// Blocks until the answer has ended, `limit` has passed or *interrupt is set; meanwhile calls `waiting`, if
/// set. `too_late` is the record's error if the answer is not complete by then.
Trial ask_once(Transport& transport, HttpRequest request, const StreamOptions& options, nanoseconds limit,
               std::string_view too_late, const std::atomic<bool>& interrupt,
               const std::function<void(Instant)>& waiting = {});

/// Sends a small request of that class; its error contains no secret.
Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& shape,
                 const TrafficClass& traffic, const Timeouts& timeouts, const std::atomic<bool>& interrupt,
                 const Say& say);

}  // namespace infermeter
