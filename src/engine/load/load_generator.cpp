#include "engine/load/load_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "engine/load/exchange.hpp"
#include "engine/load/request_log.hpp"
#include "model/secrets/secret_values.hpp"

namespace infermeter {
namespace {

// The longest time before a worker checks the run's control flags again.
constexpr nanoseconds kLongestNap = 100ms;

// No server was reached.
bool refused(Outcome outcome) {
  return outcome == Outcome::connect || outcome == Outcome::connect_timeout || outcome == Outcome::dns ||
         outcome == Outcome::tls;
}

// The slot waits a little before its next try.
bool turned_away(const RequestRecord& record) {
  return refused(record.outcome) || record.outcome == Outcome::client_limit || is_rate_limit(record.status);
}

// For a prompt whose token count is unknown.
constexpr std::uint64_t kBytesPerToken = 4;

// Failures that may be temporary: server or network trouble, not a wrong request. A limit of this machine is
// not hidden by a second try: the load was not the one that was asked for.
bool worth_a_retry(const RequestRecord& record) {
  if (record.flags.has(Flag::over_limit)) return false;  // it would only go on as long again
  if (record.outcome == Outcome::http_error) return record.status >= 500 || record.status == 429;
  return refused(record.outcome) || record.outcome == Outcome::stale_connection ||
         record.outcome == Outcome::truncated || record.outcome == Outcome::inband_error;
}

// Full jitter, so that requests that failed together do not come back together: uniform between 0 and a bound
// that doubles from 100 ms to 10 s. What the server asks for (Retry-After, also 0) is the least. The same for
// every number of workers.
nanoseconds retry_delay(std::uint64_t seed, const RequestRecord& record) {
  constexpr std::uint64_t kRetryStream = 0x7265747279ULL;
  constexpr nanoseconds kFirst = 100ms, kLongest = 10s;
  const nanoseconds most = std::min(kFirst * (1 << std::min(record.tries - 1, 8u)), kLongest);
  const std::uint64_t drawn = mix64(mix64(mix64(seed ^ kRetryStream) + record.id) + record.tries);
  const double share = static_cast<double>(drawn >> 11) * 0x1p-53;
  const nanoseconds asked = std::chrono::milliseconds(record.retry_after_ms.value_or(0));
  return asked + nanoseconds(std::llround(share * static_cast<double>(most.count())));
}

// Carries over from a failed try to the next one.
void go_on_from(const RequestRecord& failed, RequestRecord& record) {
  record.tries = failed.tries + 1;
  record.limited_tries = failed.limited_tries + (is_rate_limit(failed.status) ? 1 : 0);
  record.longest_retry_after_ms = std::max(failed.longest_retry_after_ms, failed.retry_after_ms);
}

void add_facts(const Request& request, std::uint32_t choices, RequestRecord& record) {
  record.prefix_group = request.prefix_group;
  record.repeat = request.repeat;
  record.asked_input_tokens = request.input_tokens;
  record.asked_output_tokens = request.output_tokens * choices;
  record.label = request.label;
}

}  // namespace

LoadGenerator::LoadGenerator(const RequestPlan& plan, const LanePlan& lane, std::uint32_t worker,
                             Pacer& pacer, Transport& transport, WorkerCounters& counters,
                             RunControl& control, RunBudget& budget, RecordTaker take)
    : plan_(plan),
      lane_(lane),
      worker_(worker),
      pacer_(pacer),
      transport_(transport),
      counters_(counters),
      control_(control),
      budget_(budget),
      take_(std::move(take)),
      parser_(make_chunk_parser()),
      last_ended_(plan.t0) {}

LoadGenerator::~LoadGenerator() = default;

Instant LoadGenerator::step(Instant now) {
  finish_ended(now);
  if (next_check_ <= now) check_deadlines(now);  // first: slots that it frees are refilled below
  if (control_.interrupt) {
    end_all(Outcome::interrupted, "interrupted", now);
  } else if (may_start(now)) {
    retry_due(now);
    release_due(now);
  }
  note_stage(now);
  if (!drain_end_) prepare_next();
  Instant wake = std::min(next_check_, now + kLongestNap);
  if (control_.stop) return wake;
  if (const auto due = pacer_.wake(); due && !drain_end_) wake = std::min(wake, *due);
  for (const auto& retry : retries_) wake = std::min(wake, retry.at);
  if (control_.held(now)) wake = std::min({next_check_, now + kLongestNap, control_.hold_end()});
  return wake;
}

// Only one lane reports the stage of its worker.
void LoadGenerator::tell_stage(Stage stage) {
  if (lane_.speaks) counters_.stage.store(stage, std::memory_order_relaxed);
}

bool LoadGenerator::may_start(Instant now) const {
  return !control_.stop && !given_up_ && !control_.held(now);
}

void LoadGenerator::finish_ended(Instant now) {
  // `end` cannot add to the list: the transport calls back from poll only.
  for (Exchange* exchange : ended_) end(*exchange, exchange->slot_free(), now);
  ended_.clear();
}

void LoadGenerator::release_due(Instant now) {
  if (lane_.lane->beside && control_.common_loads == 0) return;
  while (const auto release = pacer_.next(now)) {
    start_or_drop(*release, now);
    if (control_.stop) return;
  }
}

// Load that runs beside the common load takes its phases from it.
void LoadGenerator::start_or_drop(Release release, Instant now) {
  if (lane_.lane->beside) release.phase = control_.measuring ? Phase::measured : Phase::warmup;
  if (release.phase == Phase::measured && !lane_.lane->beside) control_.measuring = true;
  if (release.dropped)
    drop(release, "--max-in-flight was reached");
  else
    start(release, nullptr, now);
}

void LoadGenerator::retry_due(Instant now) {
  for (std::size_t i = retries_.size(); i-- > 0;) {
    if (retries_[i].at > now) continue;
    Retry retry = std::move(retries_[i]);
    retries_.erase(retries_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!start(retry.release, &retry.failed, now))
      hand_over(std::move(retry.failed), retry.release, now, now);
  }
}

std::uint64_t LoadGenerator::conversation_of(const Release& release) const {
  return (lane_.first_index + release.index) * lane_.count + lane_.number;
}

std::uint64_t LoadGenerator::id_of(const Release& release) const {
  const std::uint64_t index = lane_.first_index + release.index;
  return (index * lane_.lane->max_turns + release.turn) * lane_.count + lane_.number;
}

std::string LoadGenerator::name_of(std::uint64_t id) const {
  return fmt::format("{}-{}", plan_.id_prefix, id);
}

bool LoadGenerator::start(const Release& release, const RequestRecord* failed, Instant now) {
  const Mix::Place place = lane_.lane->mix.at(lane_.first_index + release.index);
  const ClassTraffic& traffic = lane_.lane->classes[place.traffic_class];
  Prepared prepared = made(release, traffic, place.index);
  Request& request = prepared.request;
  const std::uint32_t limit = request.output_tokens > 0 ? request.output_tokens : traffic.stream.max_tokens;
  const RequestUse most{
      request.input_tokens > 0 ? request.input_tokens : prepared.body.size() / kBytesPerToken,
      std::uint64_t{limit} * traffic.choices};
  if (!budget_.reserve(most)) return false;
  if (release.phase == Phase::measured) tell_stage(Stage::measuring);
  auto& exchange = active_.emplace_back(std::make_unique<Exchange>(
      *this, traffic, release, limit, traffic.body.most_tokens(request), secrets_with(request.headers), now));
  exchange->position = active_.size() - 1;
  exchange->most = most;
  if (logs(plan_.log)) {
    exchange->copy = std::make_unique<AnswerCopy>();
    exchange->copy->most += plan_.secrets.reach();
    if (!request.headers.empty()) exchange->copy->own = secrets_with(request.headers);
  }
  RequestRecord& record = exchange->record;
  if (failed != nullptr) go_on_from(*failed, record);
  add_facts(request, traffic.choices, record);
  if (traffic.conversations) {
    record.conversation = conversation_of(release);
    record.turn = release.turn;
  }
  record.replica = static_cast<std::uint32_t>((lane_.first_index + release.index) % plan_.urls.size());
  counters_.started.fetch_add(1, std::memory_order_relaxed);
  counters_.in_flight.fetch_add(1, std::memory_order_relaxed);
  exchange->transfer = transport_.start(http_request(release, traffic, prepared, record), *exchange, now);
  if (traffic.conversations) exchange->said = std::move(request.messages);
  look_again_by(exchange->deadline().at);
  return true;
}

// Most data files give all their requests the same headers, or none.
Secrets LoadGenerator::secrets_with(const std::vector<std::string>& headers) {
  if (headers.empty()) return plan_.secrets;
  if (headers == last_headers_) return last_secrets_;
  std::vector<Secret> own;
  for (const std::string_view line : headers) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    for (auto& secret :
         secrets_in_header(line.substr(0, colon), line.substr(std::min(colon + 1, line.size()))))
      own.push_back(std::move(secret));
  }
  last_headers_ = headers;
  return last_secrets_ = plan_.secrets.with(own);
}

void LoadGenerator::prepare_next() {
  const auto index = pacer_.upcoming();
  if (!index || (prepared_ && prepared_->index == *index)) return;
  const Mix::Place place = lane_.lane->mix.at(lane_.first_index + *index);
  const ClassTraffic& traffic = lane_.lane->classes[place.traffic_class];
  Request request = traffic.source->request(place.index, 0);
  std::string body = traffic.body.body(request);
  prepared_ = Prepared{*index, std::move(request), std::move(body)};
}

// Appends the new messages to the history and puts both into a body.
LoadGenerator::Prepared LoadGenerator::made(const Release& release, const ClassTraffic& traffic,
                                            std::uint64_t index) {
  const bool first = release.turn == 0;
  if (traffic.conversations) {
    if (transcripts_.size() <= release.slot) transcripts_.resize(release.slot + 1);
    if (first) transcripts_[release.slot].clear();
  }
  if (first && prepared_ && prepared_->index == release.index) {
    Prepared ready = std::move(*prepared_);
    prepared_.reset();
    return ready;
  }
  Request request = traffic.source->request(index, release.turn);
  if (traffic.conversations) {
    const Transcript& transcript = transcripts_[release.slot];
    request.messages.insert(request.messages.begin(), transcript.begin(), transcript.end());
  }
  std::string body = traffic.body.body(request);
  return {release.index, std::move(request), std::move(body)};
}

HttpRequest LoadGenerator::http_request(const Release& release, const ClassTraffic& traffic,
                                        Prepared& prepared, const RequestRecord& record) const {
  const Request& request = prepared.request;
  HttpRequest http{.url = plan_.urls[record.replica],
                   .body = std::move(prepared.body),
                   .request_id = name_of(record.id),
                   .headers = traffic.headers};
  http.headers.insert(http.headers.end(), request.headers.begin(), request.headers.end());
  if (!traffic.session_header.empty())
    http.headers.push_back(
        fmt::format("{}: {}-{}", traffic.session_header, plan_.id_prefix, conversation_of(release)));
  if (traffic.session_connection) http.connection_key = fmt::format("{}-{}", lane_.number, release.slot);
  return http;
}

void LoadGenerator::drop(const Release& release, std::string_view why) {
  const auto place = lane_.lane->mix.at(lane_.first_index + release.index);
  RequestRecord record;
  record.id = id_of(release);
  record.point = plan_.point;
  record.target = plan_.target;
  record.worker = worker_;
  record.phase = release.phase;
  record.traffic_class = lane_.lane->classes[place.traffic_class].traffic_class;
  record.intended_us = micros_between(plan_.origin, release.intended);
  record.outcome = Outcome::dropped;
  record.error = why;
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
  if (drain_end_ && *drain_end_ <= now)
    end_all(Outcome::aborted,
            plan_.timeouts.drain ? "still open when the drain ended (--timeout-drain)"
                                 : "still open when the drain ended (--timeout)",
            now);
  if (drain_end_ && !(active_.empty() && retries_.empty())) look_again_by(*drain_end_);
}

void LoadGenerator::end_all(Outcome outcome, std::string_view why, Instant now) {
  while (!active_.empty()) cut(*active_.back(), outcome, why, now);
  give_up_retries(Instant::min(), now);
}

// Requests waiting for a retry that would come after `last` end as their last try did.
void LoadGenerator::give_up_retries(Instant last, Instant now) {
  for (std::size_t i = retries_.size(); i-- > 0;) {
    if (retries_[i].at <= last) continue;
    Retry retry = std::move(retries_[i]);
    retries_.erase(retries_.begin() + static_cast<std::ptrdiff_t>(i));
    hand_over(std::move(retry.failed), retry.release, now, now);
  }
}

void LoadGenerator::cut(Exchange& exchange, Outcome outcome, std::string_view why, Instant now) {
  const std::string waited_for = transport_.cancel(exchange.transfer);
  exchange.reader.on_end(outcome, fmt::format("{}{}{}", why, waited_for.empty() ? "" : ": ", waited_for),
                         now);
  end(exchange, now, now);  // the slot was held until now, whenever the stream ended
}

void LoadGenerator::end(Exchange& exchange, Instant slot_free, Instant now) {
  counters_.in_flight.fetch_sub(1, std::memory_order_relaxed);
  budget_.release(exchange.most);
  if (exchange.copy) log_end(*plan_.log, name_of(exchange.record.id), exchange.record, *exchange.copy);
  if (!try_again(exchange, now)) {
    if (!exchange.said.empty()) remember(exchange);
    hand_over(std::move(exchange.record), exchange.release, slot_free, now);
  }
  forget(exchange);
}

bool LoadGenerator::try_again(Exchange& exchange, Instant now) {
  RequestRecord& record = exchange.record;
  const bool ending = control_.stop || control_.interrupt || (drain_end_ && *drain_end_ <= now);
  if (record.tries > plan_.retries || ending || !worth_a_retry(record)) return false;
  // A server that asks for more time than the user allows for a request is not asked again.
  const nanoseconds delay = retry_delay(plan_.seed, record);
  if (delay > plan_.timeouts.whole || (drain_end_ && now + delay > *drain_end_)) return false;
  budget_.count_try(record, now);
  if (logs(plan_.log)) log_retry(*plan_.log, name_of(record.id), record, plan_.retries + 1, delay);
  retries_.push_back({now + delay, exchange.release, std::move(record)});
  return true;
}

// The server's answer becomes part of the conversation's history.
void LoadGenerator::remember(Exchange& exchange) {
  RequestRecord& record = exchange.record;
  Transcript& transcript = transcripts_[exchange.release.slot];
  transcript = std::move(exchange.said);
  transcript.push_back({"assistant", plan_.keep_text ? record.text : std::move(record.text)});
  if (!plan_.keep_text) record.text.clear();
}

void LoadGenerator::hand_over(RequestRecord&& record, const Release& release, Instant slot_free,
                              Instant now) {
  const bool answered = record.outcome == Outcome::ok || record.outcome == Outcome::not_streamed;
  const Ended how = turned_away(record) ? Ended::refused : answered ? Ended::answered : Ended::failed;
  pacer_.freed(release.slot, slot_free, how, now);
  last_ended_ = now;
  count(record);
  budget_.count(record, now);
  take_(std::move(record));
}

void LoadGenerator::count(const RequestRecord& record) {
  counters_.done.fetch_add(1, std::memory_order_relaxed);
  if (record.phase == Phase::measured) counters_.measured_done.fetch_add(1, std::memory_order_relaxed);
  if (is_error(record.outcome, record.status) || turned_away(record))
    counters_.errors.fetch_add(1, std::memory_order_relaxed);
  if (!record.output_tokens) return;
  counters_.output_tokens.fetch_add(static_cast<std::uint64_t>(*record.output_tokens),
                                    std::memory_order_relaxed);
  counters_.counted_events.fetch_add(record.events, std::memory_order_relaxed);
}

void LoadGenerator::forget(Exchange& exchange) {
  const std::size_t hole = exchange.position;
  std::swap(active_[hole], active_.back());
  active_[hole]->position = hole;
  active_.pop_back();
}

// When the drain is over, though slots may be taken since the warm-up.
std::optional<Instant> LoadGenerator::last_moment() const {
  const auto end = pacer_.end(last_ended_);
  return end ? std::optional(*end + plan_.timeouts.of_drain()) : std::nullopt;
}

// No slot has become free in all that time: what still waits for one is not sent.
void LoadGenerator::give_up_waiting() {
  given_up_ = true;
  while (const auto release = pacer_.unsent()) drop(*release, "not sent before the drain ended");
  if (!lane_.lane->beside && !control_.measuring) control_.stop_because(StopReason::warmup);
}

// The drain begins when no further request will be started, and has its own time limit.
void LoadGenerator::note_stage(Instant now) {
  if (active_.empty() && retries_.empty() && !control_.held(now)) last_ended_ = now;
  const auto latest = last_moment();
  const bool exhausted = pacer_.exhausted(now);
  if (latest && now >= *latest && !exhausted && !drain_end_) give_up_waiting();
  const bool over = exhausted || given_up_ || (lane_.lane->beside && control_.common_loads == 0);
  const bool no_more = control_.stop || control_.interrupt || over;
  if (control_.stop) give_up_retries(Instant::min(), now);
  if (no_more && !drain_end_) {
    drain_end_ = std::min(now + plan_.timeouts.of_drain(), latest.value_or(Instant::max()));
    give_up_retries(*drain_end_, now);
    look_again_by(*drain_end_);
  }
  ended_all_ = no_more && active_.empty() && ended_.empty() && retries_.empty();
  if (no_more) tell_stage(ended_all_ ? Stage::ended : Stage::draining);
}

}  // namespace infermeter
