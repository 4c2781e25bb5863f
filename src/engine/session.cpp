#include "infermeter/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "infermeter/base/units.hpp"
#include "infermeter/engine/secrets.hpp"
#include "infermeter/engine/worker.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kStart = 500us;  // until the workers' threads run
constexpr nanoseconds kLook = 20ms;    // how often the main thread looks at signals and counters

TransportOptions transport_options(const SessionSetup& setup) {
  const Load& load = setup.plan.sweep.points.front();
  // Open loop without a cap: libcurl's pool may grow to what the files limit allows.
  const std::uint32_t streams = load.open_loop() ? (load.max_in_flight != 0 ? load.max_in_flight : 16'384)
                                                 : load.concurrency / setup.workers + 1;
  return {.target = setup.prepared.target,
          .headers = setup.prepared.headers,
          .connect_timeout = setup.plan.timeouts.connect,
          .max_streams = streams,
          .kernel_timestamps = setup.plan.kernel_timestamps};
}

RequestPlan request_plan(const SessionSetup& setup) {
  const Plan& plan = setup.plan;
  return {.url = setup.prepared.url.request_url(),
          .run_id = setup.run_id,
          .body = BodyTemplate(setup.prepared.shape),
          .prompts = setup.prompts,
          .stream = {.endpoint = setup.prepared.shape.endpoint,
                     .stream = plan.classes.front().answers.stream,
                     .max_tokens = plan.classes.front().answers.output_tokens.sole(),
                     .save_text = plan.output.save_text},
          .timeouts = plan.timeouts,
          .secrets = secrets_of(setup.prepared.target),
          .t0 = {}};
}

std::string majority_source(const std::vector<RequestRecord>& records) {
  std::uint64_t reads = 0, unstamped = 0;
  for (const auto& record : records) {
    reads += record.reads;
    unstamped += record.unstamped_reads;
  }
  return 2 * unstamped > reads ? "user" : "kernel";
}

std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string why_ended_early(const RunControl& control, const ErrorBudget& budget, const Plan& plan) {
  if (!control.stop) return {};
  if (budget.all_failed()) return fmt::format("the first {} requests all failed", control.completed.load());
  return fmt::format("{} of {} requests failed, more than --max-error-rate {} %", control.errors.load(),
                     control.completed.load(), format_number(100 * plan.max_error_rate.value_or(0)));
}

// The workers of a session, and the loop of the main thread while they run.
class Crew {
 public:
  Crew(const SessionSetup& setup)
      : setup_(setup),
        plan_(request_plan(setup)),
        transport_(transport_options(setup)),
        counters_(setup.workers),
        budget_(control_, setup.plan.max_error_rate,
                std::max<std::uint64_t>(setup.plan.sweep.points.front().concurrency, 10)) {
    for (std::uint32_t w = 0; w < setup.workers; ++w) {
      workers_.push_back(std::make_unique<Worker>(WorkerSetup{.share = {w, setup.workers},
                                                              .plan = &plan_,
                                                              .load = &setup.plan.sweep.points.front(),
                                                              .schedule = &setup.schedule,
                                                              .transport = &transport_,
                                                              .counters = &counters_[w],
                                                              .control = &control_,
                                                              .budget = &budget_,
                                                              .file = setup.file,
                                                              .save_gaps = setup.plan.output.save_gaps}));
    }
  }

  void run(const std::atomic<bool>& interrupt) {
    // Transports stand by now (the workers' constructors made them), so the start is a thread's start away.
    plan_.t0 = now() + kStart;
    for (auto& worker : workers_) worker->start();
    ProgressMeter meter(counters_, setup_.plan.sweep.points.front(), plan_.t0);
    ProgressDisplay display(setup_.progress);
    while (std::ranges::any_of(workers_, &Worker::running)) {
      std::this_thread::sleep_for(kLook);
      if (interrupt) control_.interrupt = true;
      if (++looks_ % 10 == 0) display.show(meter.read(now()), now());
    }
    display.clear();
  }

  SessionRecords gather() {
    SessionRecords out;
    out.t0 = plan_.t0;
    std::string failure;
    nanoseconds cpu{}, wall{};
    for (auto& worker : workers_) {
      worker->join();
      if (worker->failure()) failure = words_of(worker->failure());
      cpu += worker->cpu_time();
      wall += worker->wall_time();
      std::ranges::move(worker->records(), std::back_inserter(out.records));
    }
    for (const auto& counters : counters_) out.backoffs += counters.backoffs;
    out.interrupted = control_.interrupt;
    if (!out.interrupted)
      out.ended_early = !failure.empty() ? failure : why_ended_early(control_, budget_, setup_.plan);
    out.environment_failed = budget_.all_failed() || (control_.stop && !out.interrupted);
    out.client_cpu_share =
        wall.count() > 0 ? static_cast<double>(cpu.count()) / static_cast<double>(wall.count()) : 0;
    out.timestamp_source = majority_source(out.records);
    return out;
  }

 private:
  const SessionSetup& setup_;
  RequestPlan plan_;
  TransportOptions transport_;
  std::deque<WorkerCounters> counters_;
  RunControl control_;
  ErrorBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
  unsigned looks_ = 0;
};

}  // namespace

SessionRecords run_session(const SessionSetup& setup, const std::atomic<bool>& interrupt) {
  Crew crew(setup);
  crew.run(interrupt);
  SessionRecords records = crew.gather();
  std::ranges::sort(records.records, {}, &RequestRecord::id);
  return records;
}

}  // namespace infermeter
