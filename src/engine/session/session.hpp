// Measures one load from its first request to its last, at one target or at several at the same time:
// warm-up, measurement, drain, without a gap between them (run_session); and a load point at the targets of a
// run, in the plan's order: all at the same time, in alternating blocks, or one after the other
// (measure_point). Blocks; main thread. They return records; analysis computes figures from them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/time_limit.hpp"
#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "engine/session/counters.hpp"
#include "engine/session/scraper.hpp"
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
  std::span<std::vector<MetricsPage>> metrics = {};  // by target; empty: none is read
  std::function<void(Scrape&&)> scraped = {};        // called by any thread
};

/// The results of one target.
struct TargetRecords {
  std::vector<RequestRecord> records;  // by id
  std::vector<TimeSpan> blocks;        // from the first measured start of each session to its last end
  std::string ended_early;             // the reason, or empty
  bool environment_failed = false;     // no request succeeded, or too many failed
  bool cut = false;                    // ended early: the point is partial
  bool broken = false;                 // by an exception, or memory is exhausted: requests in flight are lost
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
  bool interrupted = false;            // the limit was over before its end
};

SessionRecords run_session(const SessionSetup& setup, const TimeLimit& limit);

struct PointSetup {
  const Plan& plan;
  std::uint32_t point = 0;
  std::vector<std::uint32_t> targets;        // indices of the targets that are measured now, ascending
  std::uint32_t blocks = 1;                  // number of sessions, for one target that is measured alone
  std::span<const PreparedTarget> prepared;  // by target
  std::span<const std::vector<Lane>> lanes;  // by target; empty for targets that are not measured
  std::span<const std::uint32_t> workers;    // by target
  std::span<const TargetUse> used;           // use of its limits so far, by target
  std::string run_id;
  std::optional<Instant> origin;
  Instant not_before{};
  RecordsFile* file = nullptr;
  std::string label;  // prefix of its progress line: "2/5  "
  std::function<void(const ProgressFigures&)> progress = {};
  std::function<void(Instant origin)> begun = {};    // SessionSetup::begun, for each of its sessions
  std::span<std::vector<MetricsPage>> metrics = {};  // SessionSetup's
  std::function<void(Scrape&&)> scraped = {};
};

/// `targets` of the returned records are in the setup's order, whatever the order of measuring.
SessionRecords measure_point(const PointSetup& setup, const TimeLimit& limit);

/// The part of a lane in block `block` of `blocks` (alternating order): its share of requests or time, its
/// slice of the schedule. Only the first block has the lane's whole warm-up; in a closed loop each further
/// one begins with one request per slot.
Lane block_of(const Lane& lane, std::uint32_t block, std::uint32_t blocks);

/// The number of blocks per target for a load: ten seconds or more each, at least 6 so that differences get
/// an interval, at most 12.
std::uint32_t block_count(const Load& load);

}  // namespace infermeter
