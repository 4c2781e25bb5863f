// What libcurl calls back, and where it is told of it. No exception crosses it: one is kept in the state, and
// `poll` throws it on. One thread.
#pragma once

#include "io/http/curl_state.hpp"

namespace infermeter {

/// Sockets and timers of the multi handle.
void set_callbacks(CurlTransport::State& state);
/// All else, of one handle. `transfer` outlives it.
void set_callbacks(Transfer& transfer);

}  // namespace infermeter
