#include "sim/http/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace infermeter::sim {
namespace {

constexpr std::uint64_t kChoiceIds = 4096;  // an engine id is arrival × 4096 + choice; at most 2048 inputs

// The content that the engine's prefix cache will hold of a request: its prompt followed by its answer.
std::vector<std::uint64_t> blocks_of(const GenerationSetup& setup, const Tokens& prompt,
                                     std::uint32_t choice) {
  Tokens tokens = prompt;
  AnswerWords(setup.number, choice).append_tokens(setup.output_tokens[choice], tokens);
  return block_hashes(tokens);
}

TruthRecord record_of(const GenerationSetup& setup) {
  TruthRecord record;
  record.request_id = setup.request_id;
  record.number = setup.number;
  record.endpoint = name(setup.identity.endpoint);
  record.session = setup.session;
  record.connection = setup.connection;
  record.stream = setup.request.stream;
  record.faults = setup.quirks.drawn;
  record.arrived = setup.arrived;
  record.received = setup.received;
  return record;
}

}  // namespace

bool PacedEngine::submit(const SimRequest& request, Instant now) {
  return model_->submit(request, virtual_time(now));
}

void PacedEngine::cancel(std::uint64_t id, Instant now) { model_->cancel(id, virtual_time(now)); }

std::optional<Instant> PacedEngine::next_event() const {
  const auto next = model_->next_event();
  if (!next) return std::nullopt;
  return origin_ + wall_time(*next);
}

void PacedEngine::advance(Instant now, std::vector<Emission>& out) {
  const std::size_t before = out.size();
  model_->advance(virtual_time(now), out);
  for (std::size_t i = before; i < out.size(); ++i) out[i].at = wall_time(out[i].at);
}

std::optional<RequestTruth> PacedEngine::truth(std::uint64_t id) const {
  auto truth = model_->truth(id);
  if (!truth) return truth;
  for (nanoseconds RequestTruth::* instant : {&RequestTruth::arrived, &RequestTruth::scheduled,
                                              &RequestTruth::first_token, &RequestTruth::finished})
    (*truth).*instant = wall_time((*truth).*instant);
  return truth;
}

nanoseconds PacedEngine::virtual_time(Instant now) {
  const double elapsed = static_cast<double>((now - origin_).count());
  latest_ = std::max(latest_, nanoseconds(std::llround(elapsed / scale_)));
  return latest_;
}

// A double holds nanoseconds exactly for 104 days.
nanoseconds PacedEngine::wall_time(nanoseconds virtual_time) const {
  return nanoseconds(std::llround(static_cast<double>(virtual_time.count()) * scale_));
}

Dispatcher::Dispatcher(std::unique_ptr<EngineModel> engine, double time_scale, const std::string& truth_path,
                       TruthLog::Warn warn)
    : engine_(std::move(engine), time_scale), truth_(truth_path, std::move(warn)) {}

std::string Dispatcher::metrics_text(std::string_view model) const {
  return metrics_.text(model, engine_.counters());
}

std::shared_ptr<Reply> Dispatcher::accept(GenerationSetup setup) {
  const Instant now = setup.arrived;  // parsing takes no engine time
  const auto generation = std::make_shared<Generation>(std::move(setup));
  const std::uint64_t number = generation->setup().number;
  const std::size_t choices = generation->setup().output_tokens.size();
  run_due(now);  // the engine must see arrivals in order of time
  Open open{generation, std::vector<nanoseconds>(choices, nanoseconds(-1)),
            static_cast<std::uint32_t>(choices), std::nullopt, std::nullopt};
  if (!submit(*generation, now)) {
    leave_engine(number, open, now);
    record_refused(generation->setup());
    return nullptr;
  }
  by_reply_[&generation->reply()] = number;
  generation->begin(now);
  after_change(number, open_[number] = std::move(open), now);
  return {generation, &generation->reply()};
}

bool Dispatcher::submit(const Generation& generation, Instant now) {
  const auto& setup = generation.setup();
  std::uint32_t choice = 0;
  for (const auto& prompt : setup.request.prompts) {
    for (std::uint32_t i = 0; i < setup.request.n; ++i, ++choice) {
      const SimRequest request{setup.number * kChoiceIds + choice, blocks_of(setup, prompt, choice),
                               static_cast<std::uint32_t>(prompt.size()), setup.output_tokens[choice]};
      if (!engine_.submit(request, now)) return false;
    }
  }
  return true;
}

void Dispatcher::run_due(Instant now) {
  emissions_.clear();
  engine_.advance(now, emissions_);
  for (std::size_t i = 0; i < emissions_.size(); ++i) deliver(emissions_[i], now);
  while (!wakes_.empty() && wakes_.top().at <= now) {
    const std::uint64_t number = wakes_.top().number;
    wakes_.pop();
    wake(number, now);
  }
}

std::optional<Instant> Dispatcher::next_due() const {
  auto next = engine_.next_event();
  if (!wakes_.empty() && (!next || wakes_.top().at < *next)) next = wakes_.top().at;
  return next;
}

void Dispatcher::deliver(const Emission& emission, Instant now) {
  const std::uint64_t number = emission.id / kChoiceIds;
  const auto found = open_.find(number);
  if (found == open_.end()) return;  // the client disconnected meanwhile
  Open& open = found->second;
  Generation& generation = *open.generation;
  if (generation.over()) return;  // cut while this one was being processed
  const auto choice = static_cast<std::uint32_t>(emission.id % kChoiceIds);
  const bool first = open.last_emission[choice] < nanoseconds(0);
  std::optional<RequestTruth> truth;
  if (first || emission.finished) truth = engine_.truth(emission.id);
  note_gap(open, choice, emission, truth);
  if (first && truth) generation.on_cached(choice, truth->cached_tokens);
  if (choice == 0 && truth) open.first_choice = truth;
  if (emission.finished) {
    --open.unfinished;
    if (!truth) truth = RequestTruth{};
    metrics_.observe_finished(*truth, generation.setup().output_tokens[choice],
                              generation.answer().finish_reason(choice));
    engine_.forget(emission.id);
  }
  generation.on_tokens(choice, emission.tokens, emission.finished ? &*truth : nullptr, now);
  after_change(number, open, now);
}

void Dispatcher::note_gap(Open& open, std::uint32_t choice, const Emission& emission,
                          const std::optional<RequestTruth>& truth) {
  auto& last = open.last_emission[choice];
  if (last >= nanoseconds(0)) {
    metrics_.observe_gap(emission.at - last);
  } else if (truth) {
    metrics_.observe_first_token(*truth);
  }
  last = emission.at;
}

void Dispatcher::wake(std::uint64_t number, Instant now) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  Open& open = found->second;
  if (!open.wake || *open.wake > now) return;  // an earlier one took its place
  open.wake.reset();
  open.generation->on_time(now);
  after_change(number, open, now);
}

// Callers must not use `open` after this: the connection may close it when notified.
void Dispatcher::after_change(std::uint64_t number, Open& open, Instant now) {
  const auto wanted = open.generation->wake();
  if (wanted && (!open.wake || *wanted < *open.wake)) wakes_.push({*wanted, number});
  if (wanted) open.wake = open.wake ? std::min(*open.wake, *wanted) : *wanted;
  if (open.generation->over() && open.unfinished > 0) leave_engine(number, open, now);
  const auto generation = open.generation;  // outlives its entry
  Reply& reply = generation->reply();
  const bool news = !reply.outbox.ready().empty() || (reply.ending != Ending::open && reply.outbox.empty());
  if (news && reply.on_ready) reply.on_ready();
}

void Dispatcher::leave_engine(std::uint64_t number, Open& open, Instant now) {
  open.unfinished = 0;
  for (std::size_t choice = 0; choice < open.last_emission.size(); ++choice) {
    const std::uint64_t id = number * kChoiceIds + choice;
    engine_.cancel(id, now);
    engine_.forget(id);
  }
  metrics_.count_aborted();
}

void Dispatcher::close(const Reply& reply, Instant now) {
  const auto known = by_reply_.find(&reply);
  if (known == by_reply_.end()) return;
  const std::uint64_t number = known->second;
  by_reply_.erase(known);
  const auto found = open_.find(number);
  Open open = std::move(found->second);
  open_.erase(found);
  const bool written = reply.ending != Ending::open && reply.outbox.empty();
  if (open.unfinished > 0) leave_engine(number, open, now);
  record(open, !written ? "aborted" : open.generation->was_cut() ? "cut" : "done", now);
}

void Dispatcher::stop(Instant now) {
  for (const auto& [number, open] : open_) record(open, "open", now);
  open_.clear();
  by_reply_.clear();
}

void Dispatcher::record_refused(const GenerationSetup& setup) {
  TruthRecord record = record_of(setup);
  record.end = "refused";
  record.ended = setup.received;
  truth_.append(record);
}

void Dispatcher::record(const Open& open, std::string_view end, Instant now) {
  if (!truth_.enabled()) return;
  const auto& setup = open.generation->setup();
  const Answer& answer = open.generation->answer();
  TruthRecord record = record_of(setup);
  record.end = end;
  record.ended = now;
  record.engine = open.first_choice;
  record.prompt_tokens = answer.prompt_tokens();
  record.output_tokens = answer.generated_tokens();
  record.choices = answer.size();
  const bool generates = answer.endpoint().traits().generates;
  if (end == "done" && generates) record.finish_reason = answer.finish_reason(0);
  record.events = open.generation->reply().outbox.sent();
  truth_.append(record);
}

}  // namespace infermeter::sim
