// One request before a run, read as a measured one would be. Part of preflight and of calibration.
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
  ErrorBody error;       // of a 4xx/5xx answer
  std::string location;  // of a redirect
};

/// Blocks until the answer has ended, `limit` has passed or *interrupt is set; `waiting`, if any, is called
/// meanwhile. `too_late` is the record's error where there is no whole answer by then.
Trial ask_once(Transport& transport, HttpRequest request, const StreamOptions& options, nanoseconds limit,
               std::string_view too_late, const std::atomic<bool>& interrupt,
               const std::function<void(Instant)>& waiting = {});

/// A small request of that class; its error holds no secret.
Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& shape,
                 const TrafficClass& traffic, const Timeouts& timeouts, const std::atomic<bool>& interrupt,
                 const Say& say);

}  // namespace infermeter
