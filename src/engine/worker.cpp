#include "infermeter/engine/worker.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace infermeter {
namespace {

nanoseconds thread_cpu_time() {
  timespec ts{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return std::chrono::seconds(ts.tv_sec) + nanoseconds(ts.tv_nsec);
}

std::unique_ptr<Pacer> make_pacer(const WorkerSetup& setup) {
  if (setup.load->open_loop()) {
    return std::make_unique<OpenPacer>(*setup.load, *setup.schedule, setup.share, setup.plan->t0);
  }
  return std::make_unique<ClosedPacer>(*setup.load, setup.share, setup.plan->t0);
}

}  // namespace

Worker::Worker(const WorkerSetup& setup) : setup_(setup), transport_(*setup.transport) {}

void Worker::start() {
  running_ = true;
  thread_ = std::thread([this] {
    try {
      run();
    } catch (...) {
      failure_ = std::current_exception();
      setup_.control->stop = true;
    }
    running_ = false;
  });
}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  setup_.control->interrupt = true;
  thread_.join();
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  prctl(PR_SET_TIMERSLACK, 1);  // the default of 50 µs would be added to every wait
  const auto pacer = make_pacer(setup_);
  LoadGenerator generator(*setup_.plan, setup_.share.index, *pacer, transport_, *setup_.counters,
                          *setup_.control, [this](RequestRecord&& record) { take(std::move(record)); });
  const Instant began = now();
  Instant at = transport_.poll(setup_.plan->t0);
  while (true) {
    const Instant wake = generator.step(at);
    if (generator.finished()) break;
    at = transport_.poll(wake);
  }
  cpu_time_ = thread_cpu_time();
  wall_time_ = now() - began;
}

void Worker::take(RequestRecord&& record) {
  if (setup_.file != nullptr) save(record);
  setup_.budget->count(record.outcome, record.status);
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
  setup_.file->append(record);
  record.gaps_us = std::move(gaps);
  record.gap_tokens = std::move(tokens);
  record.event_choice = std::move(choices);
}

std::uint32_t worker_count(std::uint32_t asked, const Load& load, std::uint32_t cores) {
  constexpr std::uint32_t kStreamsPerWorker = 512;
  // Open loop: how many will be in flight is the server's doing; a worker sustains some thousand requests a
  // second.
  const double streams = load.open_loop() ? *load.rate : load.concurrency;
  const auto wanted = static_cast<std::uint32_t>(std::min(1e6, streams / kStreamsPerWorker)) + 1;
  const std::uint32_t chosen = asked > 0 ? asked : std::clamp(wanted, 1u, std::max(1u, cores / 2));
  const std::uint32_t cap = load.open_loop() ? load.max_in_flight : load.concurrency;
  return cap == 0 ? chosen : std::min(chosen, cap);
}

}  // namespace infermeter
