#include "engine/session/worker.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/load/pacer.hpp"
#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/host_facts.hpp"

namespace infermeter {
namespace {

nanoseconds thread_cpu_time() {
  timespec ts{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return std::chrono::seconds(ts.tv_sec) + nanoseconds(ts.tv_nsec);
}

std::unique_ptr<Pacer> make_starts(const Lane& lane, WorkerShare share, Instant t0) {
  if (lane.load.open_loop()) return std::make_unique<OpenPacer>(lane.load, lane.schedule, share, t0);
  if (!lane.load.stages.empty()) return std::make_unique<StagedPacer>(lane.load, share, t0);
  return std::make_unique<ClosedPacer>(lane.load, share, t0);
}

std::unique_ptr<Pacer> make_pacer(const Lane& lane, WorkerShare share, Instant t0,
                                  std::uint64_t first_index) {
  auto starts = make_starts(lane, share, t0);
  if (!lane.conversations()) return starts;
  return std::make_unique<ConversationPacer>(std::move(starts), lane.script(first_index));
}

/// Without gaps the other events have no arrivals.
void keep_ends(RequestRecord& record) {
  std::erase_if(*record.early_us,
                [&](const EarlyArrival& one) { return one.event != 0 && one.event + 1 != record.events; });
}

}  // namespace

struct Worker::LaneRun {
  const Lane* lane = nullptr;
  std::unique_ptr<Pacer> pacer;
  std::unique_ptr<LoadGenerator> generator;
};

Worker::Worker(const WorkerSetup& setup) : setup_(setup), transport_(*setup.transport) {}

void Worker::start() {
  running_ = true;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    // In words now: the limit that it met is not met any more once other threads have ended.
    failure_ = std::make_exception_ptr(EnvironmentError(failure_words(error)));
    setup_.control->stop = true;
    running_ = false;
  }
}

void Worker::serve() {
  ask_for_short_slices();
  try {
    run();
  } catch (...) {
    failure_ = std::current_exception();
    setup_.control->stop = true;
  }
  running_ = false;
}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  setup_.control->interrupt = true;
  thread_.join();
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

std::vector<Worker::LaneRun> Worker::make_lanes() {
  std::vector<LaneRun> runs;
  const auto& lanes = *setup_.lanes;
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    WorkerShare share = setup_.share;
    share.count = lane_workers(own_part(lanes[l].load, share.shard), share.count);
    if (share.index >= share.count) continue;
    LaneRun run{.lane = &lanes[l], .pacer = {}, .generator = {}};
    run.pacer = make_pacer(lanes[l], share, setup_.plan->t0, setup_.first_index);
    const LanePlan plan{.lane = run.lane,
                        .number = l,
                        .count = static_cast<std::uint32_t>(lanes.size()),
                        .first_index = setup_.first_index,
                        .speaks = runs.empty()};
    run.generator = std::make_unique<LoadGenerator>(
        *setup_.plan, plan, setup_.share.index, *run.pacer, transport_, *setup_.counters, *setup_.control,
        *setup_.budget, [this](RequestRecord&& record) { take(std::move(record)); });
    runs.push_back(std::move(run));
  }
  return runs;
}

// Load beside the common load ends once no worker has common load left to start.
void Worker::note_common_load(const LaneRun& run) {
  if (run.lane->beside || common_load_over_ || !run.generator->draining()) return;
  common_load_over_ = true;
  setup_.control->common_loads.fetch_sub(1);
}

// In steps: the start may be hours away, and an interrupt must be noticed in between.
Instant Worker::wait_for_start() {
  constexpr nanoseconds kStep = 50ms;
  Instant at = now();
  while (at < setup_.plan->t0 && !setup_.control->interrupt)
    at = transport_.poll(std::min(setup_.plan->t0, at + kStep));
  return at;
}

void Worker::run() {
  prctl(PR_SET_TIMERSLACK, 1);  // the default of 50 µs would be added to every wait
  auto lanes = make_lanes();
  const Instant began = now();
  if (lanes.empty()) setup_.counters->stage = Stage::ended;
  Instant at = wait_for_start();
  while (true) {
    Instant wake = Instant::max();
    bool finished = true;
    for (auto& lane : lanes) {
      wake = std::min(wake, lane.generator->step(at));
      finished = finished && lane.generator->finished();
      note_common_load(lane);
    }
    if (finished) break;
    at = transport_.poll(wake);
  }
  for (const auto& lane : lanes) backoffs_ += lane.pacer->backoffs();
  cpu_time_ = thread_cpu_time();
  wall_time_ = now() - began;
}

void Worker::take(RequestRecord&& record) {
  if (setup_.file != nullptr) save(record);
  records_.push_back(std::move(record));
}

void Worker::save(RequestRecord& record) {
  if (setup_.save_gaps) {
    setup_.file->append(record);
    return;
  }
  auto gaps = std::exchange(record.gaps_us, {});
  auto tokens = std::exchange(record.gap_tokens, {});
  auto choices = std::exchange(record.event_choice, {});
  auto early = record.early_us;
  if (early) keep_ends(record);
  setup_.file->append(record);
  record.gaps_us = std::move(gaps);
  record.gap_tokens = std::move(tokens);
  record.event_choice = std::move(choices);
  record.early_us = std::move(early);
}

std::uint32_t worker_count(std::uint32_t asked, const Load& load, std::uint32_t cores) {
  constexpr std::uint32_t kStreamsPerWorker = 512;
  // Open loop: how many requests will be in flight depends on the server; a worker sustains some thousand
  // requests per second.
  const double streams = load.open_loop() ? load.rate.value_or(1) : load.concurrency;
  const auto wanted = static_cast<std::uint32_t>(std::min(1e6, streams / kStreamsPerWorker)) + 1;
  const std::uint32_t chosen = asked > 0 ? asked : std::clamp(wanted, 1u, std::max(1u, cores / 2));
  const std::uint32_t cap = load.open_loop() ? load.max_in_flight : load.concurrency;
  return cap == 0 ? chosen : std::min(chosen, cap);
}

std::uint32_t lane_workers(const Load& load, std::uint32_t workers) {
  if (load.open_loop() && load.max_in_flight == 0) return workers;
  return std::min(workers, load.open_loop() ? load.max_in_flight : load.concurrency);
}

}  // namespace infermeter
