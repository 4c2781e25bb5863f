// One load measured from its first request to its last, at one target or at several of them at the same time:
// warm-up, measurement, drain, without a gap between them. Blocks; main thread. What it returns are records;
// figures are made from them by analysis.
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

/// One target's part of a session. All outlive it.
struct TargetSession {
  std::uint32_t target = 0;  // index into the plan's
  const PreparedTarget* prepared = nullptr;
  const std::vector<Lane>* lanes = nullptr;  // the common load first, if there is one
  std::uint32_t workers = 1;
  TargetUse used = {};  // of its limits, before
};

struct SessionSetup {
  const Plan& plan;
  std::uint32_t point = 0;
  Load load;  // as it is shown: what is to be done in all
  std::vector<TargetSession> targets;
  std::string run_id;
  std::optional<Instant> origin;  // the run's start: of every offset; nothing: that of this session
  Instant not_before{};           // --start-at
  std::uint64_t first_index = 0;  // of an alternating run's later blocks
  RecordsFile* file = nullptr;
  std::string label;  // of its progress: "2/5  "
  std::function<void(const ProgressFigures&)> progress = {};
  std::function<void(Instant origin)> begun = {};  // told of it as soon as it stands, by the main thread
};

/// What came of one target.
struct TargetRecords {
  std::vector<RequestRecord> records;   // by id
  std::vector<TimeSpan> blocks;         // from the first measured start of each session to its last end
  std::string ended_early;              // why, or empty
  bool environment_failed = false;      // not one request went well, or too many did not
  bool cut = false;                     // ended before its plan: the point is partial
  nanoseconds cpu_time{}, wall_time{};  // of its workers
  nanoseconds waited{};                 // --on-rate-limit wait
  std::uint64_t backoffs = 0;
  TargetUse used;  // of its limits, with what was used before
  void note_block();
  /// Adds what came of a later block.
  void merge(TargetRecords&& later);
  double cpu_share() const;
  /// What most reads had.
  TimestampSource timestamp_source() const;
};

struct SessionRecords {
  Instant origin;                      // as given, or this session's start
  std::vector<TargetRecords> targets;  // as in the setup
  bool interrupted = false;
};

SessionRecords run_session(const SessionSetup& setup, const std::atomic<bool>& interrupt);

}  // namespace infermeter
