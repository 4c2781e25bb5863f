// The process that owns one of the user's commands. It starts the command, becomes the parent of every
// process that the command leaves behind (child subreaper), and ends all of them when it is asked to, or when
// the program that asked for the command is gone in any way, SIGKILL included: its socket then ends. A
// parent-death signal would not do: it follows the thread that forked, and reaches no grandchild.
//
// It is this same program, run again (/proc/self/exe) under a name of its own, which the library sees before
// main. A fork without exec was rejected: in a program with threads the child may only call async-signal-safe
// functions, it would keep a copy of all memory, and each page that the measuring program then writes would
// cost it a fault. A hidden argument was rejected: programs that embed the library have a main of their own.
//
// Private to src/io/process: the words of the socket between the two.
#pragma once

#include <cstdint>

namespace infermeter {

/// argv[0] of the supervisor. Neither it nor the process's name contains "infermeter" or the command, so that
/// `pkill infermeter` leaves it alone.
inline constexpr const char* kSupervisorName = "command-supervisor";
/// Its open files besides standard input, output and error, which are /dev/null.
inline constexpr int kSupervisorSocket = 3, kCommandOutput = 4;

/// To the supervisor, first; the command's bytes follow.
struct SupervisorTask {
  std::uint32_t command_bytes = 0;
  /// The command's end is the end: what it leaves in the background is let go, not ended.
  std::uint32_t lets_go = 0;
};

/// To the supervisor, later: all processes get SIGTERM, and SIGKILL after that time.
struct SupervisorOrder {
  std::int64_t patience_ms = 0;
};

/// From the supervisor. The end of the socket without `done`: it was killed itself.
struct SupervisorReport {
  enum Kind : std::int32_t { started, failed, ended, done };
  std::int32_t kind = started;
  std::int32_t value = 0;  // started: the command's process; failed: errno; ended: the status of waitpid
};

}  // namespace infermeter
