#include "engine/session/session.hpp"

#include <algorithm>
#include <thread>

#include "engine/session/crew.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kStart = 500us;  // until the workers' threads run
constexpr nanoseconds kLook = 20ms;    // how often the main thread looks at signals and counters

// What all targets together are to do, for the progress line.
Load joint_load(const SessionSetup& setup) {
  Load load = own_part(setup.load, setup.plan.shard);
  if (load.requests) load.requests = *load.requests * setup.targets.size();
  if (load.stages.empty()) return load;
  load.duration = nanoseconds(0);
  for (const auto& stage : load.stages) *load.duration += stage.duration;
  return load;
}

}  // namespace

void TargetRecords::note_turn() {
  std::optional<TimeSpan> turn;
  for (const auto& record : records) {
    if (record.phase != Phase::measured || !record.started_us || !record.end_us) continue;
    const auto from = static_cast<std::uint64_t>(*record.started_us);
    const auto to = static_cast<std::uint64_t>(*record.end_us);
    if (!turn) turn = TimeSpan{from, to};
    *turn = {std::min(turn->from_us, from), std::max(turn->to_us, to)};
  }
  if (turn) turns.push_back(*turn);
}

void TargetRecords::merge(TargetRecords&& later) {
  std::ranges::move(later.turns, std::back_inserter(turns));
  std::ranges::move(later.records, std::back_inserter(records));
  if (ended_early.empty()) ended_early = std::move(later.ended_early);
  environment_failed = environment_failed || later.environment_failed;
  cut = cut || later.cut;
  cpu_time += later.cpu_time;
  wall_time += later.wall_time;
  waited += later.waited;
  backoffs += later.backoffs;
  used = later.used;
}

double TargetRecords::cpu_share() const {
  if (wall_time.count() == 0) return 0;
  return static_cast<double>(cpu_time.count()) / static_cast<double>(wall_time.count());
}

std::string TargetRecords::timestamp_source() const {
  std::uint64_t reads = 0, unstamped = 0;
  for (const auto& record : records) {
    reads += record.reads;
    unstamped += record.unstamped_reads;
  }
  return 2 * unstamped > reads ? "user" : "kernel";
}

SessionRecords run_session(const SessionSetup& setup, const std::atomic<bool>& interrupt) {
  std::deque<WorkerCounters> counters;
  std::deque<Crew> crews;
  for (const auto& target : setup.targets) crews.emplace_back(setup, target, counters);
  // Transports stand by now (the workers' constructors made them), so the start is a thread's start away.
  const Instant t0 = std::max(setup.not_before, now() + kStart);
  const Instant origin = setup.origin.value_or(t0);
  for (auto& crew : crews) crew.start(origin, t0);
  if (setup.begun) setup.begun(origin);
  const Load shown = joint_load(setup);
  ProgressMeter meter(counters, shown, t0);
  ProgressDisplay display(setup.progress);
  unsigned looks = 0;
  while (std::ranges::any_of(crews, &Crew::running)) {
    std::this_thread::sleep_for(kLook);
    if (interrupt) std::ranges::for_each(crews, &Crew::interrupt);
    if (++looks % 10 == 0) display.show(meter.read(now()), now());
  }
  display.clear();
  SessionRecords out;
  out.origin = origin;
  for (auto& crew : crews) out.targets.push_back(crew.gather());
  for (auto& target : out.targets) target.note_turn();
  out.interrupted = interrupt;
  return out;
}

}  // namespace infermeter
