// Ctrl-C and SIGTERM as a flag that loops check; a second signal, 0.3 s later or more, ends the program at
// once with exit code 130.
#pragma once

#include <atomic>

namespace infermeter {

/// Installs the handlers (once; main thread) and returns the flag, false until a signal comes. SIGPIPE is
/// ignored.
const std::atomic<bool>& watch_signals();

}  // namespace infermeter
