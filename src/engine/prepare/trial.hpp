// One small request before a run, read as a measured one would be. Part of preflight.
#pragma once

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/record.hpp"
#include "protocol/http/outcome.hpp"

namespace infermeter {

struct Trial {
  RequestRecord record;
  ErrorBody error;       // of a 4xx/5xx answer
  std::string location;  // of a redirect
};

Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& shape,
                 const TrafficClass& traffic, const Timeouts& timeouts, const std::atomic<bool>& interrupt,
                 const Say& say);

}  // namespace infermeter
