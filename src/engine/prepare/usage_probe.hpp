// One whole request for the sake of the prompt tokens that its answer reports. Part of calibration.
#pragma once

#include <atomic>
#include <string>

#include "infermeter/model/record.hpp"
#include "io/http/transport.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace infermeter {

/// The record of the request, read as a measured one would be. Blocks until its answer has ended, `limit` has
/// passed or *interrupt is set.
RequestRecord send_usage_probe(Transport& transport, HttpRequest request, const StreamOptions& options,
                               nanoseconds limit, const std::atomic<bool>& interrupt);

}  // namespace infermeter
