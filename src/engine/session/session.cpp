#include "engine/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/session/worker.hpp"
#include "infermeter/base/units.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/memory.hpp"
#include "model/load.hpp"

namespace infermeter {
namespace {

/// Frees each as it goes over, so that none is held twice.
void take_all(std::deque<RequestRecord>& from, std::vector<RequestRecord>& into) {
  into.reserve(into.size() + from.size());
  for (; !from.empty(); from.pop_front()) into.push_back(std::move(from.front()));
}

/// The workers of one target in a session, and their shared state. Part of the session.
class Crew {
 public:
  /// Creates the transports, so that `start` does not have to. `counters`: one per worker.
  Crew(const SessionSetup& setup, const TargetSession& target, std::deque<WorkerCounters>& counters);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  void start(Instant origin, Instant t0);
  bool running() const;
  void interrupt() { control_.interrupt = true; }
  /// Starts no further request, so that those in flight can end and be saved.
  void stop_for_memory() { control_.stop_because(StopReason::memory); }
  /// Waits for the workers.
  TargetRecords gather();

 private:
  std::string warmup_words() const;
  std::string why_ended_early() const;
  std::string why_warmup_ended() const;
  std::optional<std::string> no_single_request(std::string_view option, std::string_view takes) const;

  const SessionSetup& setup_;
  RequestPlan plan_;
  TransportOptions transport_;
  RunControl control_;
  RunBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

TransportOptions transport_options(const SessionSetup& setup, const TargetSession& target) {
  // Open loop without a cap: libcurl's pool may grow to the limit of open files.
  constexpr std::uint32_t kUncapped = 16'384;
  std::uint32_t streams = 0;
  for (const auto& lane : *target.lanes) {
    const Load load = own_part(lane.load, setup.plan.shard);
    streams += load.open_loop() ? (load.max_in_flight != 0 ? load.max_in_flight : kUncapped)
                                : load.concurrency / target.workers + 1;
  }
  return {.target = target.prepared->target,
          .headers = target.prepared->headers,
          .connect_timeout = setup.plan.timeouts.connect,
          .max_streams = streams,
          .kernel_timestamps = setup.plan.kernel_timestamps};
}

// Contains point and target if there are several, so that ids differ within a run.
std::string id_prefix(const SessionSetup& setup, const TargetSession& target) {
  std::string prefix = setup.run_id;
  if (setup.plan.sweep.points.size() > 1) prefix += fmt::format("-p{}", setup.point);
  if (setup.plan.targets.size() > 1) prefix += fmt::format("-t{}", target.target);
  return prefix;
}

RequestPlan request_plan(const SessionSetup& setup, const TargetSession& target) {
  RequestPlan plan;
  plan.urls.push_back(target.prepared->url.request_url());
  for (const auto& url : target.prepared->replicas) plan.urls.push_back(url.request_url());
  plan.id_prefix = id_prefix(setup, target);
  plan.point = setup.point;
  plan.target = target.target;
  plan.seed = setup.load.seed;
  plan.timeouts = setup.plan.timeouts;
  plan.retries = setup.plan.retries;
  plan.keep_text = setup.plan.output.save_text;
  plan.secrets = target.prepared->secrets;
  plan.log = target.prepared->log;
  return plan;
}

// A run of limited length may measure a server that restarts meanwhile. A gate with one server has nothing to
// compare, and a run by count would take two seconds for each request.
std::optional<nanoseconds> unreachable_limit(const SessionSetup& setup) {
  constexpr nanoseconds kLeast = 5s;
  const bool gate = setup.plan.target_order == TargetOrder::pairs;
  const bool by_count = !setup.load.duration && setup.load.stages.empty() && !setup.load.open_loop();
  if (!gate && !by_count) return std::nullopt;
  return std::max(setup.plan.timeouts.connect, kLeast);
}

// Limits are split over the shards, so that all of them together obey the limits.
RunBudget::Limits limits_of(const SessionSetup& setup, const TargetSession& target) {
  const Target& asked = setup.plan.targets[target.target];
  const Shard shard = setup.plan.shard;
  const auto part = [&](auto limit) { return limit ? std::optional(*limit / shard.of) : std::nullopt; };
  return {.max_error_rate = setup.plan.max_error_rate,
          .looks_after = std::max<std::uint64_t>(own_part(setup.load, shard).concurrency, 10),
          .max_cost = part(asked.max_cost),
          .max_tokens = part(asked.max_tokens_total),
          .prices = asked.prices,
          .before = target.used,
          .on_rate_limit = setup.plan.on_rate_limit,
          .longest_hold = setup.plan.timeouts.whole,
          .unreachable = unreachable_limit(setup)};
}

std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return failure_words(error);
  }
}

bool of_the_environment(StopReason reason) {
  return reason == StopReason::all_failed || reason == StopReason::error_rate ||
         reason == StopReason::memory || reason == StopReason::warmup || reason == StopReason::unreachable;
}

Crew::Crew(const SessionSetup& setup, const TargetSession& target, std::deque<WorkerCounters>& counters)
    : setup_(setup),
      plan_(request_plan(setup, target)),
      transport_(transport_options(setup, target)),
      budget_(control_, limits_of(setup, target)) {
  for (std::uint32_t w = 0; w < target.workers; ++w) {
    workers_.push_back(std::make_unique<Worker>(WorkerSetup{.share = {w, target.workers, setup.plan.shard},
                                                            .plan = &plan_,
                                                            .lanes = target.lanes,
                                                            .first_index = setup.first_index,
                                                            .transport = &transport_,
                                                            .counters = &counters.emplace_back(),
                                                            .control = &control_,
                                                            .budget = &budget_,
                                                            .file = setup.file,
                                                            .save_gaps = setup.plan.output.save_gaps}));
  }
  const auto common = std::ranges::find(*target.lanes, false, &Lane::beside);
  if (common != target.lanes->end())
    control_.common_loads = lane_workers(own_part(common->load, setup.plan.shard), target.workers);
}

void Crew::start(Instant origin, Instant t0) {
  plan_.origin = origin;
  plan_.t0 = t0;
  for (auto& worker : workers_) worker->start();
}

bool Crew::running() const { return std::ranges::any_of(workers_, &Worker::running); }

TargetRecords Crew::gather() {
  TargetRecords out;
  std::string failure;
  for (auto& worker : workers_) {
    worker->join();
    if (worker->failure()) failure = words_of(worker->failure());
    out.cpu_time += worker->cpu_time();
    out.wall_time += worker->wall_time();
    out.backoffs += worker->backoffs();
    take_all(worker->records(), out.records);
  }
  std::ranges::sort(out.records, {}, &RequestRecord::id);
  out.used = budget_.use();
  const nanoseconds ahead = control_.hold_end() - now();  // counted, and waited for no longer
  out.waited = nanoseconds(control_.held_ns.load()) - std::max(ahead, nanoseconds(0));
  if (!control_.interrupt) out.ended_early = !failure.empty() ? failure : why_ended_early();
  const bool failed = !failure.empty() || of_the_environment(control_.reason);
  out.broken = !failure.empty() || control_.reason == StopReason::memory;
  out.cut =
      failed || control_.reason == StopReason::rate_limited || control_.reason == StopReason::client_limit;
  out.environment_failed = budget_.all_failed() || (failed && !control_.interrupt);
  return out;
}

/// The counts of an early end have the requests of the warm-up, which the figures leave out.
std::string Crew::warmup_words() const {
  const Load& load = setup_.load;
  return load.warmup_requests.value_or(0) > 0 || load.warmup_duration ? ", those of the warm-up included"
                                                                      : "";
}

std::string Crew::why_ended_early() const {
  switch (control_.reason) {
    case StopReason::none:
      return {};
    case StopReason::all_failed:
      return fmt::format("the first {} requests all failed{}", control_.completed.load(), warmup_words());
    case StopReason::client_limit:
      return fmt::format("the first {} requests all met a limit of this machine",
                         control_.client_limited.load());
    case StopReason::error_rate:
      return fmt::format("{} of {} requests failed{}, more than --max-error-rate {} %",
                         control_.errors.load(), control_.completed.load(), warmup_words(),
                         format_number(100 * *setup_.plan.max_error_rate));
    case StopReason::rate_limited:
      return "the server limits the rate (--on-rate-limit stop)";
    case StopReason::memory:
      return limit_words(ClientLimit::memory);
    case StopReason::max_cost:
      return no_single_request("--max-cost", "cost").value_or("--max-cost is used up");
    case StopReason::max_tokens:
      return no_single_request("--max-tokens-total", "use").value_or("--max-tokens-total is used up");
    case StopReason::warmup:
      return why_warmup_ended();
    case StopReason::unreachable:
      return fmt::format("no connection was established for {} (--timeout-connect)",
                         format_duration(*unreachable_limit(setup_)));
  }
  return {};
}

std::string Crew::why_warmup_ended() const {
  const Timeouts& timeouts = setup_.plan.timeouts;
  const std::string length =
      setup_.load.duration ? fmt::format("{} (-d) and ", format_duration(*setup_.load.duration)) : "";
  return fmt::format("the warm-up was not over: none of its requests ended within {}{} ({})", length,
                     format_duration(timeouts.of_drain()), timeouts.drain ? "--timeout-drain" : "--timeout");
}

// The limit is less than what the first request might take.
std::optional<std::string> Crew::no_single_request(std::string_view option, std::string_view takes) const {
  const RequestUse first{control_.unaffordable_input, control_.unaffordable_output};
  if (first.input_tokens + first.output_tokens == 0) return std::nullopt;
  const double cost = budget_.cost_of(first);
  return fmt::format("{} is less than one request may {}: {} prompt and {} output tokens{}", option, takes,
                     format_count(first.input_tokens), format_count(first.output_tokens),
                     cost > 0 ? ", $" + format_number(cost) : "");
}

constexpr nanoseconds kStart = 500us;  // until the workers' threads run
constexpr nanoseconds kLook = 20ms;    // how often the main thread checks signals and counters

// The planned total of all targets, for the progress line.
Load shown_load(const SessionSetup& setup) {
  Load load = own_part(setup.load, setup.plan.shard);
  if (load.requests) load.requests = *load.requests * setup.targets.size();
  if (load.stages.empty()) return load;
  load.duration = nanoseconds(0);
  for (const auto& stage : load.stages) *load.duration += stage.duration;
  return load;
}

std::string names_of(const std::vector<TargetSession>& targets) {
  std::string names;
  for (const auto& target : targets)
    names += (names.empty() ? "" : ",") + target_name(target.prepared->facts);
  return names;
}

}  // namespace

void TargetRecords::note_block() {
  std::optional<TimeSpan> block;
  for (const auto& record : records) {
    if (record.phase != Phase::measured || !record.started_us || !record.end_us) continue;
    const auto from = static_cast<std::uint64_t>(*record.started_us);
    const auto to = static_cast<std::uint64_t>(*record.end_us);
    if (!block) block = TimeSpan{from, to};
    *block = {std::min(block->from_us, from), std::max(block->to_us, to)};
  }
  if (block) blocks.push_back(*block);
}

void TargetRecords::merge(TargetRecords&& later) {
  std::ranges::move(later.blocks, std::back_inserter(blocks));
  std::ranges::move(later.records, std::back_inserter(records));
  if (ended_early.empty()) ended_early = std::move(later.ended_early);
  environment_failed = environment_failed || later.environment_failed;
  cut = cut || later.cut;
  broken = broken || later.broken;
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

TimestampSource TargetRecords::timestamp_source() const {
  std::uint64_t reads = 0, unstamped = 0;
  for (const auto& record : records) {
    reads += record.reads;
    unstamped += record.unstamped_reads;
  }
  return 2 * unstamped > reads ? TimestampSource::user : TimestampSource::kernel;
}

SessionRecords run_session(const SessionSetup& setup, const TimeLimit& limit) {
  // Before the crews, and so after them too: until the last of their threads has ended.
  const Log::Handover handover(setup.targets.front().prepared->log);
  std::deque<WorkerCounters> counters;
  std::deque<Crew> crews;
  for (const auto& target : setup.targets) crews.emplace_back(setup, target, counters);
  // The workers' constructors have created the transports, so starting takes only as long as starting a
  // thread.
  const Instant t0 = std::max(setup.not_before, now() + kStart);
  const Instant origin = setup.origin.value_or(t0);
  for (auto& crew : crews) crew.start(origin, t0);
  if (setup.begun) setup.begun(origin);
  std::list<Scraper> scrapers;
  if (!setup.metrics.empty()) {
    for (const auto& target : setup.targets)
      scrapers.emplace_back(ScraperSetup{.plan = setup.plan,
                                         .prepared = *target.prepared,
                                         .target = target.target,
                                         .origin = origin,
                                         .take = setup.scraped},
                            setup.metrics[target.target]);
  }
  const Load shown = shown_load(setup);
  ProgressMeter meter(counters, shown, t0);
  const auto show = [&](std::optional<Stage> stage) {
    if (!setup.progress) return;
    ProgressFigures figures = meter.read(now());
    figures.label = setup.label;
    figures.point = setup.point;
    figures.points = static_cast<std::uint32_t>(setup.plan.sweep.points.size());
    figures.target = names_of(setup.targets);
    figures.stage = stage.value_or(figures.stage);
    setup.progress(figures);
  };
  Stage stage = meter.stage();
  unsigned looks = 0;
  bool interrupted = false;
  while (std::ranges::any_of(crews, &Crew::running)) {
    std::this_thread::sleep_for(kLook);
    interrupted = interrupted || limit.over(now());
    if (interrupted) std::ranges::for_each(crews, &Crew::interrupt);
    if (memory_exhausted()) std::ranges::for_each(crews, &Crew::stop_for_memory);
    if (++looks % 10 == 0) show({});
    if (const Stage seen = meter.stage(); seen != stage) {
      stage = seen;
      std::ranges::for_each(scrapers, &Scraper::edge);
    }
  }
  std::ranges::for_each(scrapers, &Scraper::edge);
  show(Stage::ended);
  SessionRecords out;
  out.origin = origin;
  for (auto& crew : crews) out.targets.push_back(crew.gather());
  for (auto& target : out.targets) target.note_block();
  out.interrupted = interrupted;
  std::ranges::for_each(scrapers, &Scraper::wait);
  return out;
}

}  // namespace infermeter
