// `infermeter simulate`: the simulator as a separate server.
#pragma once

#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

sim::ServerOptions simulate_request(const Invocation& invocation);

/// Serves until SIGINT or SIGTERM, then returns `ok`. The first line on stdout is `listening on http://…`.
/// Call it from the main thread before any other thread exists: it blocks both signals to wait for them.
/// Throws what sim::Server throws.
ExitCode simulate_command(const sim::ServerOptions& options);

}  // namespace infermeter
