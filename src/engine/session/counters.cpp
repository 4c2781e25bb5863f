#include "engine/session/counters.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {
namespace {

constexpr double kMillion = 1e6;

std::uint64_t millionths(double cost) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, cost) * kMillion));
}

// If the server did not count (a stream that was cut), the requested input and the received tokens are used.
BilledTokens tokens_of(const RequestRecord& record) {
  BilledTokens use;
  const bool sent = record.sent_us.has_value();
  use.prompt = static_cast<double>(record.prompt_tokens.value_or(sent ? record.asked_input_tokens : 0));
  use.cached = std::min(static_cast<double>(record.cached_tokens.value_or(0)), use.prompt);
  use.cache_write =
      std::min(static_cast<double>(record.cache_write_tokens.value_or(0)), use.prompt - use.cached);
  use.output = static_cast<double>(record.output_tokens.value_or(record.events));
  return use;
}

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

// The run's stage is that of its least advanced worker, so that "draining" means all workers.
Stage joint_stage(const std::deque<WorkerCounters>& workers) {
  Stage least = Stage::ended;
  for (const auto& worker : workers) least = std::min(least, worker.stage.load(std::memory_order_relaxed));
  return least;
}

}  // namespace

void LiveHistogram::add(nanoseconds d) {
  const double us = std::max(1.0, static_cast<double>(d.count()) / 1e3);
  const auto bucket = static_cast<std::size_t>(16 * std::log2(us));
  counts_[std::min(bucket, counts_.size() - 1)].fetch_add(1, std::memory_order_relaxed);
}

void LiveHistogram::add_to(std::array<std::uint64_t, 512>& sums) const {
  for (std::size_t b = 0; b < counts_.size(); ++b) sums[b] += counts_[b].load(std::memory_order_relaxed);
}

double live_median_ms(const std::array<std::uint64_t, 512>& sums) {
  std::uint64_t total = 0;
  for (const auto count : sums) total += count;
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    seen += sums[b];
    if (total > 0 && 2 * seen >= total) return std::exp2((static_cast<double>(b) + 0.5) / 16) / 1e3;
  }
  return 0;
}

void RunControl::stop_because(StopReason why) {
  StopReason none = StopReason::none;
  reason.compare_exchange_strong(none, why);
  stop = true;
}

void RunControl::hold(Instant now, nanoseconds length) {
  const std::int64_t from = std::max<std::int64_t>(now.time_since_epoch().count(), hold_until_ns);
  const std::int64_t until = (now + length).time_since_epoch().count();
  if (until <= from) return;
  held_ns += until - from;
  hold_until_ns = until;
}

RunBudget::RunBudget(RunControl& control, const Limits& limits) : control_(control), limits_(limits) {
  control_.tokens = limits.before.tokens;
  control_.cost_millionths = millionths(limits.before.cost);
}

TargetUse RunBudget::use() const {
  return {.tokens = control_.tokens, .cost = static_cast<double>(control_.cost_millionths.load()) / kMillion};
}

void RunBudget::count(const RequestRecord& record, Instant now) {
  count_use(record);
  if (is_rate_limit(record.status)) obey_rate_limit(record, now);
  count_outcome(record.outcome, record.status);
  note_connection(record, now);
}

void RunBudget::count_try(const RequestRecord& record, Instant now) {
  if (is_rate_limit(record.status)) obey_rate_limit(record, now);
  note_connection(record, now);
}

// A request that was neither sent nor refused shows nothing about the server.
void RunBudget::note_connection(const RequestRecord& record, Instant now) {
  if (!limits_.unreachable) return;
  const bool refused = record.outcome == Outcome::connect || record.outcome == Outcome::connect_timeout ||
                       record.outcome == Outcome::dns;
  if (!refused) {
    if (record.sent_us) control_.unreachable_since_ns = 0;
    return;
  }
  const std::int64_t at = now.time_since_epoch().count();
  std::int64_t since = 0;
  if (control_.unreachable_since_ns.compare_exchange_strong(since, at)) return;
  if (at - since >= limits_.unreachable->count()) control_.stop_because(StopReason::unreachable);
}

void RunBudget::count_outcome(Outcome outcome, int status) {
  // Requests that we did not send or did not finish show nothing about the server, except that it answered.
  if (outcome == Outcome::cancelled) control_.succeeded.fetch_add(1);
  if (outcome == Outcome::client_limit) return count_client_limit();
  if (outcome == Outcome::dropped || outcome == Outcome::cancelled || outcome == Outcome::interrupted) return;
  // A server that limits the rate is reachable: such answers are counted, but do not end the run.
  if (is_rate_limit(status)) return;
  if (is_error(outcome, status)) control_.errors.fetch_add(1);
  // Before `completed`, so that another worker never counts a success as a failure.
  if (outcome == Outcome::ok || outcome == Outcome::not_streamed) control_.succeeded.fetch_add(1);
  const std::uint64_t completed = control_.completed.fetch_add(1) + 1;
  if (completed < limits_.looks_after) return;
  if (completed == limits_.looks_after && all_failed()) control_.stop_because(StopReason::all_failed);
  if (rate_exceeded()) control_.stop_because(StopReason::error_rate);
}

// Shows nothing about the server. Where all of the first requests met a limit, so would the others.
void RunBudget::count_client_limit() {
  const std::uint64_t met = control_.client_limited.fetch_add(1) + 1;
  if (met >= limits_.looks_after && !control_.reached) control_.stop_because(StopReason::client_limit);
}

void RunBudget::count_use(const RequestRecord& record) {
  const BilledTokens use = tokens_of(record);
  control_.tokens.fetch_add(static_cast<std::uint64_t>(use.prompt + use.output));
  const double cost = record.cost ? *record.cost : token_cost(use, limits_.prices);
  control_.cost_millionths.fetch_add(millionths(cost));
}

bool RunBudget::reserve(const RequestUse& most) {
  const std::uint64_t tokens = most.input_tokens + most.output_tokens;
  const std::uint64_t cost = most_cost(most);
  const std::uint64_t reserved = control_.reserved_tokens.fetch_add(tokens) + tokens;
  const std::uint64_t reserved_cost = control_.reserved_cost_millionths.fetch_add(cost) + cost;
  const bool tokens_left = !limits_.max_tokens || control_.tokens + reserved <= *limits_.max_tokens;
  const bool money_left =
      !limits_.max_cost ||
      static_cast<double>(control_.cost_millionths + reserved_cost) <= *limits_.max_cost * kMillion;
  if (tokens_left && money_left) return true;
  if (reserved == tokens && control_.tokens == 0 && control_.cost_millionths == 0) {
    control_.unaffordable_input = most.input_tokens;
    control_.unaffordable_output = most.output_tokens;
  }
  release(most);
  control_.stop_because(tokens_left ? StopReason::max_cost : StopReason::max_tokens);
  return false;
}

void RunBudget::release(const RequestUse& most) {
  control_.reserved_tokens.fetch_sub(most.input_tokens + most.output_tokens);
  control_.reserved_cost_millionths.fetch_sub(most_cost(most));
}

double RunBudget::cost_of(const RequestUse& use) const {
  return most_token_cost(static_cast<double>(use.input_tokens), static_cast<double>(use.output_tokens),
                         limits_.prices);
}

std::uint64_t RunBudget::most_cost(const RequestUse& most) const { return millionths(cost_of(most)); }

void RunBudget::obey_rate_limit(const RequestRecord& record, Instant now) {
  constexpr nanoseconds kUnsaid = std::chrono::seconds(1);  // if the server does not say how long
  if (limits_.on_rate_limit == OnRateLimit::stop) control_.stop_because(StopReason::rate_limited);
  if (limits_.on_rate_limit != OnRateLimit::wait) return;
  const nanoseconds length =
      record.retry_after_ms ? std::chrono::milliseconds(*record.retry_after_ms) : kUnsaid;
  control_.hold(now, std::min(length, limits_.longest_hold));
}

bool RunBudget::all_failed() const { return control_.completed > 0 && control_.succeeded == 0; }

bool RunBudget::rate_exceeded() const {
  const auto completed = static_cast<double>(control_.completed.load());
  return limits_.max_error_rate && completed >= static_cast<double>(limits_.looks_after) &&
         static_cast<double>(control_.errors.load()) > *limits_.max_error_rate * completed;
}

Stage ProgressMeter::stage() const { return joint_stage(workers_); }

ProgressFigures ProgressMeter::read(Instant now) {
  ProgressFigures f;
  f.stage = joint_stage(workers_);
  f.total = load_.duration;
  f.requests = load_.requests;
  std::uint64_t events = 0, tokens = 0, counted = 0;
  std::array<std::uint64_t, 512> ttft{}, itl{};
  for (const auto& worker : workers_) {
    f.in_flight += worker.in_flight.load(std::memory_order_relaxed);
    f.done += worker.measured_done.load(std::memory_order_relaxed);
    f.errors += worker.errors.load(std::memory_order_relaxed);
    events += worker.events.load(std::memory_order_relaxed);
    tokens += worker.output_tokens.load(std::memory_order_relaxed);
    counted += worker.counted_events.load(std::memory_order_relaxed);
    worker.ttft.add_to(ttft);
    worker.itl.add_to(itl);
  }
  if (f.stage >= Stage::measuring && !measuring_since_) {
    measuring_since_ = now;
    events_before_ = events;
  }
  const double per_event = counted > 0 ? static_cast<double>(tokens) / static_cast<double>(counted) : 1.0;
  const Instant since = measuring_since_.value_or(t0_);
  f.elapsed = std::max(now - since, nanoseconds(0));
  if (const double s = seconds(f.elapsed); s > 0) {
    f.requests_per_s = static_cast<double>(f.done) / s;
    f.tokens_per_s = per_event * static_cast<double>(events - events_before_) / s;
  }
  f.ttft_ms = live_median_ms(ttft);
  // Of events that do not carry one token each the time per token is not known before all records are.
  constexpr double one_each = 1.05;
  if (per_event <= one_each) f.itl_ms = live_median_ms(itl);
  return f;
}

}  // namespace infermeter
