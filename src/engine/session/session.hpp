// Measures one load from its first request to its last, at one target or at several at the same time:
// warm-up, measurement, drain, without a gap between them. Blocks; main thread. It returns records; analysis
// computes figures from them.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "engine/session/progress.hpp"
#include "io/files/records_file.hpp"

namespace infermeter {

/// One target's part of a session. All references must outlive it.
struct TargetSession {
  std::uint32_t target = 0;  // index into the plan's targets
  const PreparedTarget* prepared = nullptr;
  const std::vector<Lane>* lanes = nullptr;  // the common load first, if there is one
  std::uint32_t workers = 1;
  TargetUse used = {};  // use of its limits before this session
};

struct SessionSetup {
  const Plan& plan;
  std::uint32_t point = 0;
  Load load;  // for display: the planned total
  std::vector<TargetSession> targets;
  std::string run_id;
  std::optional<Instant> origin;  // the run's start, for all offsets; nothing: this session's start
  Instant not_before{};           // --start-at
  std::uint64_t first_index = 0;  // for an alternating run's later blocks
  RecordsFile* file = nullptr;
  std::string label;  // prefix of its progress line: "2/5  "
  std::function<void(const ProgressFigures&)> progress = {};
  std::function<void(Instant origin)> begun = {};  // called by the main thread as soon as the origin is known
};

/// The results of one target.
struct TargetRecords {
  std::vector<RequestRecord> records;   // by id
  std::vector<TimeSpan> blocks;         // from the first measured start of each session to its last end
  std::string ended_early;              // the reason, or empty
  bool environment_failed = false;      // no request succeeded, or too many failed
  bool cut = false;                     // ended early: the point is partial
  nanoseconds cpu_time{}, wall_time{};  // of its workers
  nanoseconds waited{};                 // --on-rate-limit wait
  std::uint64_t backoffs = 0;
  TargetUse used;  // use of its limits, including use before this session
  void note_block();
  /// Adds the results of a later block.
  void merge(TargetRecords&& later);
  double cpu_share() const;
  /// The source of most reads' time stamps.
  TimestampSource timestamp_source() const;
};

struct SessionRecords {
  Instant origin;                      // as given, or this session's start
  std::vector<TargetRecords> targets;  // as in the setup
  bool interrupted = false;
};

SessionRecords run_session(const SessionSetup& setup, const std::atomic<bool>& interrupt);

}  // namespace infermeter
