#include "sim/http/generation.hpp"

#include <algorithm>
#include <utility>

namespace infermeter::sim {
namespace {

const ApiProblem kFailure{500, "the simulated engine failed", "InternalServerError", ""};

}  // namespace

Generation::Generation(GenerationSetup setup)
    : answer_(std::move(setup)),
      reply_(answer_.setup().keep_events),
      sink_(reply_.outbox, answer_.setup().framing, answer_.setup().quirks.crlf),
      format_(answer_.endpoint().make_stream(answer_.setup().identity)) {}

void Generation::begin(Instant now) {
  if (!answer_.streaming()) return;
  const auto& quirks = setup().quirks;
  if (quirks.heartbeat > nanoseconds(0)) heartbeat_due_ = now + quirks.heartbeat;
  append_head(reply_.outbox.bytes(), {.content_type = "text/event-stream; charset=utf-8",
                                      .framing = setup().framing,
                                      .keep_alive = setup().keep_alive,
                                      .request_id = setup().request_id,
                                      .more = "cache-control: no-cache\r\n" + setup().headers,
                                      .date = setup().date});
  reply_.outbox.release_all();
  format_->begin(sink_);
  if (quirks.role_first) {
    for (std::uint32_t i = 0; i < answer_.size(); ++i) write_role(i);
  }
  release(now);
}

void Generation::on_tokens(std::uint32_t choice, std::uint32_t tokens, const RequestTruth* finished,
                           Instant now) {
  if (over_) return;
  if (stalled_until_) {
    held_.push_back({choice, tokens, finished ? std::optional(*finished) : std::nullopt});
    return;
  }
  take(choice, tokens, finished, now);
  release(now);
}

void Generation::on_time(Instant now) {
  if (heartbeat_due_ && now >= *heartbeat_due_) {
    format_->heartbeat(sink_);
    heartbeat_due_ = now + setup().quirks.heartbeat;
  }
  if (stalled_until_ && now >= *stalled_until_) {
    stalled_until_.reset();
    for (const auto& held : std::exchange(held_, {}))
      take(held.choice, held.tokens, held.finished ? &*held.finished : nullptr, now);
  }
  if (burst_due_ && now >= *burst_due_) burst_due_.reset();
  if (split_due_ && now >= *split_due_) {
    split_due_.reset();
    reply_.outbox.release_all();
  }
  release(now);
}

std::optional<Instant> Generation::wake() const {
  std::optional<Instant> earliest;
  for (const auto& due : {stalled_until_, split_due_, heartbeat_due_, burst_due_}) {
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

void Generation::take(std::uint32_t index, std::uint32_t tokens, const RequestTruth* finished, Instant now) {
  const bool cuts = reaches_cut(tokens);
  const bool stalls = cuts && setup().quirks.cut == Cut::stall;
  if (stalls) {
    cut_done_ = true;
    stalled_until_ = now + setup().quirks.stall;
    if (!answer_.streaming()) {  // a non-streamed body is delayed as a whole
      held_.push_back({index, tokens, finished ? std::optional(*finished) : std::nullopt});
      return;
    }
  }
  const bool last = finished && (!cuts || stalls);
  if (last) answer_.finish(index, *finished);  // before the events, because their usage needs it
  if (answer_.streaming()) {
    stream_tokens(index, tokens, last);
  } else {
    answer_.choice(index).generated += tokens;
  }
  if (cuts && !stalls) {
    cut_stream();
  } else if (answer_.all_finished()) {
    answer_.streaming() ? finish_stream() : write_body();
  }
}

// Half-way through all choices, after at least one token. A non-streamed body can only stall, at its end.
bool Generation::reaches_cut(std::uint32_t tokens) const {
  if (setup().quirks.cut == Cut::none || cut_done_) return false;
  const std::uint32_t come = answer_.generated_tokens() + tokens;
  const std::uint32_t planned = answer_.planned_tokens();
  if (!answer_.streaming()) return setup().quirks.cut == Cut::stall && come >= planned;
  return come >= std::max(1U, planned / 2);
}

void Generation::stream_tokens(std::uint32_t index, std::uint32_t tokens, bool last) {
  Answer::Choice& choice = answer_.choice(index);
  while (tokens > 0) {
    std::uint32_t phase_end = 0;
    const Phase phase = answer_.phase_at(index, choice.generated, phase_end);
    const std::uint32_t now = std::min(tokens, phase_end - choice.generated);
    choice.generated += now;
    tokens -= now;
    if (phase == Phase::hidden) {
      choice.in_events = choice.generated;
      continue;
    }
    const std::uint32_t pending = choice.generated - choice.in_events;
    const bool final = last && tokens == 0;
    const bool lump = phase == Phase::reasoning && setup().quirks.reasoning == Reasoning::lump;
    const bool full = !lump && pending >= setup().quirks.tokens_per_event;
    if (final || full || choice.generated == phase_end) write_event(index, phase, pending, final);
  }
  if (last && !choice.finish_sent) write_finish(index);
}

// vLLM's order: the role when the first token is there, in the same write; finish_reason with the last text.
void Generation::write_event(std::uint32_t index, Phase phase, std::uint32_t tokens, bool last) {
  const auto& quirks = setup().quirks;
  Answer::Choice& choice = answer_.choice(index);
  if (!choice.role_sent) write_role(index);
  text_.clear();
  words_.clear();
  if (phase == Phase::text && !std::exchange(choice.text_begun, true)) text_ = answer_.opening_text(index);
  Delta delta{.choice = index, .tokens = tokens, .offset = choice.text_bytes + text_.size()};
  if (phase != Phase::empty) answer_.append_text(index, choice.in_events, tokens, text_, words_);
  choice.in_events += tokens;
  if (last && quirks.end_marker) text_ += "<|im_end|>";
  choice.text_bytes += text_.size();
  delta.text = text_;
  delta.words = words_;
  delta.kind = phase == Phase::empty       ? EventKind::empty
               : phase == Phase::reasoning ? EventKind::reasoning
                                           : EventKind::text;
  if (last && !quirks.finish_event && !quirks.no_finish) {
    delta.finish = answer_.finish_reason(index);
    choice.finish_sent = true;
  }
  write_delta(delta);
}

void Generation::write_role(std::uint32_t index) {
  answer_.choice(index).role_sent = true;
  write_delta({.kind = EventKind::role, .choice = index});
}

void Generation::write_finish(std::uint32_t index) {
  answer_.choice(index).finish_sent = true;
  if (setup().quirks.no_finish) return;
  write_delta({.kind = EventKind::finish, .choice = index, .finish = answer_.finish_reason(index)});
}

void Generation::write_delta(Delta delta) {
  const UsagePlace place = setup().quirks.usage;
  const bool opens = answer_.typed() && delta.kind == EventKind::role;
  const bool everywhere =
      opens || setup().request.continuous_usage || place == UsagePlace::every || place == UsagePlace::zero;
  const bool at_finish =
      place == UsagePlace::finish || place == UsagePlace::x_groq || place == UsagePlace::choice;
  const bool finishes = at_finish && !delta.finish.empty() && answer_.all_finished();
  Usage current;
  if (!setup().quirks.no_usage && (everywhere || finishes)) {
    if (place != UsagePlace::zero) current = answer_.usage();
    delta.usage = &current;
    delta.place = at_finish ? place : UsagePlace::every;
  }
  format_->delta(sink_, delta);
}

void Generation::finish_stream() {
  const auto& quirks = setup().quirks;
  const bool own_event = (quirks.usage == UsagePlace::asked && setup().request.include_usage) ||
                         quirks.usage == UsagePlace::always || answer_.typed();
  const Usage usage = answer_.usage();
  const auto times = answer_.timing(quirks.request_metrics);
  format_->end(sink_, {.usage = own_event && !quirks.no_usage ? &usage : nullptr,
                       .timing = times ? &*times : nullptr,
                       .finish = quirks.no_finish ? std::string_view{} : answer_.finish_reason(0),
                       .done = !quirks.no_done});
  end_well();
}

void Generation::end_well() {
  append_last_chunk(reply_.outbox.bytes(), setup().framing);
  end(setup().keep_alive ? Ending::keep_alive : Ending::close);
}

void Generation::cut_stream() {
  cut_done_ = true;
  switch (setup().quirks.cut) {
    case Cut::inband:
      format_->fail(sink_, kFailure, !setup().quirks.no_done);
      end_well();
      break;
    case Cut::reset:
      end(Ending::reset);
      break;
    case Cut::truncate:
      end(Ending::close);
      break;
    case Cut::stall:
    case Cut::none:
      break;
  }
}

void Generation::write_body() {
  const Cut cut = setup().quirks.cut;
  cut_done_ = cut == Cut::inband || cut == Cut::reset || cut == Cut::truncate;
  if (cut == Cut::reset) return end(Ending::reset);
  if (cut == Cut::inband) {
    const std::string failure = answer_.endpoint().problem(kFailure);
    return write_whole(500, failure, failure.size());
  }
  const std::string whole = body();
  write_whole(200, whole, cut == Cut::truncate ? whole.size() / 2 : whole.size());
}

std::string Generation::body() const {
  const auto& quirks = setup().quirks;
  const Usage total = answer_.usage();
  const Usage* usage = quirks.no_usage ? nullptr : &total;
  std::vector<BodyChoice> choices;
  for (std::uint32_t i = 0; i < answer_.size(); ++i) choices.push_back(answer_.body_choice(i));
  const auto times = answer_.timing(quirks.request_metrics);
  return answer_.endpoint().body(
      {setup().identity, setup().request, std::move(choices), usage, times ? &*times : nullptr});
}

void Generation::write_whole(int status, const std::string& body, std::size_t shown) {
  auto& bytes = reply_.outbox.bytes();
  append_head(bytes, {.status = status,
                      .length = body.size(),
                      .keep_alive = setup().keep_alive,
                      .request_id = setup().request_id,
                      .more = setup().headers,
                      .date = setup().date});
  bytes.append(body, 0, shown);
  end(shown == body.size() && setup().keep_alive ? Ending::keep_alive : Ending::close);
}

void Generation::end(Ending ending) {
  over_ = true;
  reply_.ending = ending;
  heartbeat_due_.reset();
}

void Generation::release(Instant now) {
  const auto& quirks = setup().quirks;
  auto& outbox = reply_.outbox;
  if (reply_.ending == Ending::open) {
    if (quirks.buffer || split_due_ || quirks.burst > nanoseconds(0)) return;
    if (quirks.pack > 1 && outbox.held_events() < quirks.pack) return;
  }
  if (quirks.burst > nanoseconds(0) && outbox.held_events() > 1) {
    if (burst_due_) return;
    outbox.release_event();
    burst_due_ = now + quirks.burst;
    return;
  }
  const bool halves = quirks.split > nanoseconds(0) && outbox.ready().size() < outbox.bytes().size();
  if (!halves) return outbox.release_all();
  if (split_due_) return;
  outbox.release_half();
  split_due_ = now + quirks.split;
}

}  // namespace infermeter::sim
