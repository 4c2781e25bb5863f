#include "infermeter/engine/load_generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exchange.hpp"
#include "infermeter/engine/secrets.hpp"

namespace infermeter {
namespace {

// How long a worker may sleep before it looks at the run's control flags again.
constexpr nanoseconds kLongestNap = 100ms;

// No server was found there: the next try of the slot waits a little.
bool refused(Outcome outcome) {
  return outcome == Outcome::connect || outcome == Outcome::connect_timeout || outcome == Outcome::dns ||
         outcome == Outcome::tls;
}

// Some servers repeat the key that they refuse.
void mask_secrets(const std::vector<std::string>& secrets, RequestRecord& record) {
  record.error = without_secrets(std::move(record.error), secrets);
  record.text = without_secrets(std::move(record.text), secrets);
}

}  // namespace

LoadGenerator::LoadGenerator(const RequestPlan& plan, std::uint32_t worker, Pacer& pacer,
                             Transport& transport, WorkerCounters& counters, RunControl& control,
                             RecordTaker take)
    : plan_(plan),
      worker_(worker),
      pacer_(pacer),
      transport_(transport),
      counters_(counters),
      control_(control),
      take_(std::move(take)),
      parser_(make_chunk_parser()) {}

LoadGenerator::~LoadGenerator() = default;

Instant LoadGenerator::step(Instant now) {
  finish_ended(now);
  if (next_check_ <= now) check_deadlines(now);  // first: a slot that it frees is filled below
  if (control_.interrupt) {
    end_all(Outcome::interrupted, "interrupted", now);
  } else if (!control_.stop) {
    release_due(now);
  }
  note_stage(now);
  Instant wake = std::min(next_check_, now + kLongestNap);
  if (const auto due = pacer_.wake(); due && !control_.stop) wake = std::min(wake, *due);
  return wake;
}

void LoadGenerator::finish_ended(Instant now) {
  // hand_over may not add to the list: the transport calls back from poll only.
  for (Exchange* exchange : ended_) hand_over(*exchange, exchange->end(), now);
  ended_.clear();
}

void LoadGenerator::release_due(Instant now) {
  while (const auto release = pacer_.next(now)) {
    if (release->dropped) {
      drop(*release);
    } else {
      start(*release, now);
    }
  }
}

void LoadGenerator::start(const Release& release, Instant now) {
  if (release.phase == Phase::measured) counters_.stage.store(Stage::measuring, std::memory_order_relaxed);
  auto& exchange = active_.emplace_back(std::make_unique<Exchange>(*this, release, now));
  exchange->position = active_.size() - 1;
  counters_.started.fetch_add(1, std::memory_order_relaxed);
  counters_.in_flight.fetch_add(1, std::memory_order_relaxed);
  exchange->transfer = transport_.start({.url = plan_.url,
                                         .body = plan_.body.body(plan_.prompts.prompt(release.id)),
                                         .request_id = fmt::format("{}-{}", plan_.run_id, release.id)},
                                        *exchange, now);
  look_again_by(exchange->deadline().at);
}

void LoadGenerator::drop(const Release& release) {
  RequestRecord record;
  record.id = release.id;
  record.worker = worker_;
  record.phase = release.phase;
  record.intended_us = micros_between(plan_.t0, release.intended);
  record.outcome = Outcome::dropped;
  record.error = "--max-in-flight was reached";
  take_(std::move(record));
}

void LoadGenerator::check_deadlines(Instant now) {
  next_check_ = Instant::max();
  for (std::size_t i = active_.size(); i-- > 0;) {
    const auto deadline = active_[i]->deadline();
    if (deadline.at <= now) {
      cut(*active_[i], deadline.outcome, deadline.why, now);
    } else {
      look_again_by(deadline.at);
    }
  }
  if (drain_end_ && *drain_end_ <= now) end_all(Outcome::aborted, "still open when the drain ended", now);
  if (drain_end_ && !active_.empty()) look_again_by(*drain_end_);
}

void LoadGenerator::end_all(Outcome outcome, std::string_view why, Instant now) {
  while (!active_.empty()) cut(*active_.back(), outcome, why, now);
}

void LoadGenerator::cut(Exchange& exchange, Outcome outcome, std::string_view why, Instant now) {
  transport_.cancel(exchange.transfer);
  exchange.reader.on_end(outcome, why, now);
  hand_over(exchange, now, now);  // the slot was ours to hold until now, whenever the stream had ended
}

void LoadGenerator::hand_over(Exchange& exchange, Instant slot_free, Instant now) {
  RequestRecord& record = exchange.record;
  pacer_.freed(exchange.slot, slot_free, refused(record.outcome), now);
  counters_.backoffs.store(pacer_.backoffs(), std::memory_order_relaxed);
  counters_.in_flight.fetch_sub(1, std::memory_order_relaxed);
  counters_.done.fetch_add(1, std::memory_order_relaxed);
  if (record.phase == Phase::measured) counters_.measured_done.fetch_add(1, std::memory_order_relaxed);
  if (is_error(record.outcome, record.status)) counters_.errors.fetch_add(1, std::memory_order_relaxed);
  if (record.output_tokens) {
    counters_.output_tokens.fetch_add(static_cast<std::uint64_t>(*record.output_tokens),
                                      std::memory_order_relaxed);
    counters_.counted_events.fetch_add(record.events, std::memory_order_relaxed);
  }
  mask_secrets(plan_.secrets, record);
  take_(std::move(record));
  const std::size_t hole = exchange.position;
  std::swap(active_[hole], active_.back());
  active_[hole]->position = hole;
  active_.pop_back();
}

// The drain begins when no further request will be started, and has a limit of its own.
void LoadGenerator::note_stage(Instant now) {
  const bool no_more = control_.stop || control_.interrupt || pacer_.exhausted(now);
  if (no_more && !drain_end_) {
    drain_end_ = now + plan_.timeouts.drain.value_or(plan_.timeouts.whole);
    look_again_by(*drain_end_);
  }
  ended_all_ = no_more && active_.empty() && ended_.empty();
  if (no_more) counters_.stage.store(ended_all_ ? Stage::ended : Stage::draining, std::memory_order_relaxed);
}

}  // namespace infermeter
