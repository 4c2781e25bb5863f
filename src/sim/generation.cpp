#include "generation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "infermeter/base/random.hpp"

namespace infermeter::sim {

Generation::Generation(GenerationSetup setup)
    : setup_(std::move(setup)),
      format_(setup_.identity, setup_.quirks.crlf),
      reply_(setup_.keep_events),
      choices_(setup_.output_tokens.size()),
      streaming_(setup_.request.stream && !setup_.quirks.not_stream) {}

void Generation::begin(Instant now) {
  if (!streaming_) return;
  if (setup_.quirks.heartbeat > nanoseconds(0)) heartbeat_due_ = now + setup_.quirks.heartbeat;
  append_head(reply_.outbox.bytes(), {.content_type = "text/event-stream; charset=utf-8",
                                      .framing = setup_.framing,
                                      .keep_alive = setup_.keep_alive,
                                      .request_id = setup_.request_id,
                                      .more = "cache-control: no-cache\r\n",
                                      .date = setup_.date});
  reply_.outbox.release_all();
  if (setup_.quirks.role_first) {
    for (std::uint32_t i = 0; i < choices_.size(); ++i) write_role(i);
    release(now);
  }
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
    format_.append_heartbeat(event_);
    append_chunk(reply_.outbox.bytes(), std::exchange(event_, {}), setup_.framing);
    heartbeat_due_ = now + setup_.quirks.heartbeat;
  }
  if (stalled_until_ && now >= *stalled_until_) {
    stalled_until_.reset();
    for (const auto& held : std::exchange(held_, {}))
      take(held.choice, held.tokens, held.finished ? &*held.finished : nullptr, now);
  }
  if (split_due_ && now >= *split_due_) {
    split_due_.reset();
    reply_.outbox.release_all();
  }
  release(now);
}

std::optional<Instant> Generation::wake() const {
  std::optional<Instant> earliest;
  for (const auto& due : {stalled_until_, split_due_, heartbeat_due_}) {
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

void Generation::take(std::uint32_t index, std::uint32_t tokens, const RequestTruth* finished, Instant now) {
  const bool cuts = reaches_cut(tokens);
  const bool stalls = cuts && setup_.quirks.cut == Cut::stall;
  if (stalls) {
    cut_done_ = true;
    stalled_until_ = now + setup_.quirks.stall;
    if (!streaming_) {  // a body is late as a whole
      held_.push_back({index, tokens, finished ? std::optional(*finished) : std::nullopt});
      return;
    }
  }
  const bool last = finished && (!cuts || stalls);
  if (last) choices_[index].truth = *finished;  // before the events, whose usage wants it
  if (streaming_) {
    stream_tokens(index, tokens, last);
  } else {
    choices_[index].generated += tokens;
  }
  if (cuts && !stalls) {
    cut_stream();
  } else if (all_finished()) {
    streaming_ ? finish_stream() : write_body();
  }
}

void Generation::stream_tokens(std::uint32_t index, std::uint32_t tokens, bool last) {
  Choice& choice = choices_[index];
  while (tokens > 0) {
    std::uint32_t phase_end = 0;
    const Phase phase = phase_at(index, choice.generated, phase_end);
    const std::uint32_t now = std::min(tokens, phase_end - choice.generated);
    choice.generated += now;
    tokens -= now;
    if (phase == Phase::hidden) {
      choice.in_events = choice.generated;
      continue;
    }
    const std::uint32_t pending = choice.generated - choice.in_events;
    const bool final = last && tokens == 0;
    if (final || pending >= setup_.quirks.tokens_per_event || choice.generated == phase_end)
      write_event(index, phase, pending, final);
  }
  if (last && !choice.finish_sent) write_finish(index);
}

// vLLM's order: the role when the first token is there, in the same write; finish_reason with the last text.
void Generation::write_event(std::uint32_t index, Phase phase, std::uint32_t tokens, bool last) {
  Choice& choice = choices_[index];
  if (!choice.role_sent) write_role(index);
  choice.in_events += tokens;
  text_.clear();
  if (phase == Phase::text && !std::exchange(choice.text_begun, true)) text_ = opening_text(index);
  if (phase != Phase::empty) append_words(index, tokens, text_);
  if (last && setup_.quirks.end_marker) text_ += "<|im_end|>";
  Delta delta{.choice = index, .text = text_};
  if (phase == Phase::reasoning) delta.field = Delta::Field::reasoning;
  if (last && !setup_.quirks.finish_event && !setup_.quirks.no_finish) {
    delta.finish = finish_reason(index);
    choice.finish_sent = true;
  }
  const EventKind kind = phase == Phase::empty       ? EventKind::empty
                         : phase == Phase::reasoning ? EventKind::reasoning
                                                     : EventKind::text;
  write_delta(delta, kind, tokens);
}

void Generation::write_role(std::uint32_t index) {
  choices_[index].role_sent = true;
  if (setup_.request.endpoint == Endpoint::completions) return;
  write_delta({.choice = index, .field = Delta::Field::role}, EventKind::role, 0);
}

void Generation::write_finish(std::uint32_t index) {
  choices_[index].finish_sent = true;
  if (setup_.quirks.no_finish) return;
  write_delta({.choice = index, .field = Delta::Field::none, .finish = finish_reason(index)},
              EventKind::finish, 0);
}

void Generation::write_delta(Delta delta, EventKind kind, std::uint32_t tokens) {
  const UsagePlace place = setup_.quirks.usage;
  const bool everywhere =
      setup_.request.continuous_usage || place == UsagePlace::every || place == UsagePlace::zero;
  const bool at_finish =
      place == UsagePlace::finish || place == UsagePlace::x_groq || place == UsagePlace::choice;
  Usage current;
  if (!setup_.quirks.no_usage && (everywhere || (at_finish && !delta.finish.empty() && all_finished()))) {
    if (place != UsagePlace::zero) current = usage();
    delta.usage = &current;
    delta.place = at_finish ? place : UsagePlace::every;
  }
  format_.append(event_, delta);
  frame(kind, delta.choice, tokens);
}

// Moves the event in `event_` to the outbox as one HTTP chunk.
void Generation::frame(EventKind kind, std::uint32_t choice, std::uint32_t tokens) {
  append_chunk(reply_.outbox.bytes(), event_, setup_.framing);
  event_.clear();
  reply_.outbox.mark(kind, choice, tokens);
}

void Generation::finish_stream() {
  const auto& quirks = setup_.quirks;
  const bool own_event = (quirks.usage == UsagePlace::asked && setup_.request.include_usage) ||
                         quirks.usage == UsagePlace::always;
  if (own_event && !quirks.no_usage) {
    const auto times = timing();
    format_.append_usage(event_, usage(), times ? &*times : nullptr);
    frame(EventKind::usage, 0, 0);
  }
  end_well();
}

void Generation::end_well() {
  if (!setup_.quirks.no_done) {
    format_.append_done(event_);
    frame(EventKind::done, 0, 0);
  }
  append_last_chunk(reply_.outbox.bytes(), setup_.framing);
  end(setup_.keep_alive ? Ending::keep_alive : Ending::close);
}

void Generation::cut_stream() {
  cut_done_ = true;
  switch (setup_.quirks.cut) {
    case Cut::inband:
      format_.append_error(event_, {500, "the simulated engine failed", "InternalServerError", ""});
      frame(EventKind::error, 0, 0);
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
  const auto& quirks = setup_.quirks;
  if (quirks.cut == Cut::inband) {
    cut_done_ = true;
    const auto body = problem_json({500, "the simulated engine failed", "InternalServerError", ""});
    return write_whole(500, body, body.size());
  }
  std::vector<BodyChoice> bodies(choices_.size());
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    const std::uint32_t thought = reasoning_tokens(i);
    if (quirks.reasoning == Reasoning::streamed) append_words(i, thought, bodies[i].reasoning);
    bodies[i].content = opening_text(i);
    append_words(i, choices_[i].generated - thought, bodies[i].content);
    if (quirks.end_marker) bodies[i].content += "<|im_end|>";
    if (!quirks.no_finish) bodies[i].finish = finish_reason(i);
  }
  const Usage total = usage();
  const auto times = timing();
  const std::string body =
      body_json(setup_.identity, bodies, quirks.no_usage ? nullptr : &total, times ? &*times : nullptr);
  cut_done_ = quirks.cut == Cut::reset || quirks.cut == Cut::truncate;
  if (quirks.cut == Cut::reset) return end(Ending::reset);
  write_whole(200, body, quirks.cut == Cut::truncate ? body.size() / 2 : body.size());
}

void Generation::write_whole(int status, const std::string& body, std::size_t shown) {
  auto& bytes = reply_.outbox.bytes();
  append_head(bytes, {.status = status,
                      .length = body.size(),
                      .keep_alive = setup_.keep_alive,
                      .request_id = setup_.request_id,
                      .date = setup_.date});
  bytes.append(body, 0, shown);
  end(shown == body.size() && setup_.keep_alive ? Ending::keep_alive : Ending::close);
}

void Generation::end(Ending ending) {
  over_ = true;
  reply_.ending = ending;
  heartbeat_due_.reset();
}

void Generation::release(Instant now) {
  const auto& quirks = setup_.quirks;
  auto& outbox = reply_.outbox;
  if (reply_.ending == Ending::open) {
    if (quirks.buffer || split_due_) return;
    if (quirks.pack > 1 && outbox.held_events() < quirks.pack) return;
  }
  const bool halves = quirks.split > nanoseconds(0) && outbox.ready().size() < outbox.bytes().size();
  if (!halves) return outbox.release_all();
  if (split_due_) return;
  outbox.release_half();
  split_due_ = now + quirks.split;
}

// Which part of the answer the `token`-th token belongs to, and the first token after that part.
Generation::Phase Generation::phase_at(std::uint32_t index, std::uint32_t token,
                                       std::uint32_t& phase_end) const {
  phase_end = reasoning_tokens(index);
  if (token < phase_end)
    return setup_.quirks.reasoning == Reasoning::hidden ? Phase::hidden : Phase::reasoning;
  phase_end += setup_.quirks.empty_tokens;
  if (token < phase_end) return Phase::empty;
  phase_end = std::numeric_limits<std::uint32_t>::max();
  return Phase::text;
}

// Half-way through all choices, after one token at least. A body can only stall, and does so at its end.
bool Generation::reaches_cut(std::uint32_t tokens) const {
  if (setup_.quirks.cut == Cut::none || cut_done_) return false;
  std::uint64_t planned = 0;
  for (const auto output : setup_.output_tokens) planned += output;
  if (!streaming_) return setup_.quirks.cut == Cut::stall && generated_tokens() + tokens >= planned;
  return generated_tokens() + tokens >= std::max<std::uint64_t>(1, planned / 2);
}

bool Generation::all_finished() const {
  return std::all_of(choices_.begin(), choices_.end(), [](const Choice& c) { return c.truth.has_value(); });
}

void Generation::append_words(std::uint32_t index, std::uint32_t count, std::string& out) {
  const auto words = one_token_words();
  const std::uint64_t first = mix64(setup_.number) + index;
  for (std::uint32_t i = 0; i < count; ++i)
    out += words[(first + 7U * choices_[index].words++) % words.size()];
}

std::string Generation::opening_text(std::uint32_t index) const {
  if (!setup_.quirks.echo) return {};
  const std::string quoted = json_quoted(setup_.request.texts[index / setup_.request.n]);
  return quoted.substr(1, quoted.size() - 2);
}

std::uint32_t Generation::reasoning_tokens(std::uint32_t index) const {
  const auto& quirks = setup_.quirks;
  if (quirks.reasoning == Reasoning::none || setup_.request.endpoint == Endpoint::completions) return 0;
  const std::uint32_t output = setup_.output_tokens[index];
  if (quirks.reasoning_tokens > 0) return std::min(quirks.reasoning_tokens, output);
  return static_cast<std::uint32_t>(std::lround(quirks.reasoning_share * output));
}

Usage Generation::usage() const {
  Usage usage{.prompt_tokens = prompt_tokens()};
  std::uint32_t reasoning = 0;
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    const std::uint32_t tokens = streaming_ ? choices_[i].in_events : choices_[i].generated;
    usage.completion_tokens += tokens;
    reasoning += std::min(tokens, reasoning_tokens(i));
  }
  if (setup_.quirks.reasoning != Reasoning::none) usage.reasoning_tokens = reasoning;
  if (all_finished()) usage.cached_tokens = choices_.front().truth->cached_tokens;
  return usage;
}

std::optional<RequestTiming> Generation::timing() const {
  if (!setup_.quirks.request_metrics || choices_.size() != 1) return std::nullopt;
  const RequestTruth& truth = *choices_.front().truth;
  return RequestTiming{truth.scheduled - truth.arrived, truth.first_token - truth.scheduled,
                       truth.finished - truth.first_token, choices_.front().generated};
}

std::uint32_t Generation::prompt_tokens() const {
  std::size_t tokens = 0;
  for (const auto& prompt : setup_.request.prompts) tokens += prompt.size();
  return static_cast<std::uint32_t>(tokens);
}

std::uint32_t Generation::generated_tokens() const {
  std::uint32_t tokens = 0;
  for (const auto& choice : choices_) tokens += choice.generated;
  return tokens;
}

std::string_view Generation::finish_reason(std::uint32_t choice) const {
  const auto& request = setup_.request;
  return request.limited && setup_.output_tokens[choice] >= request.output_limit ? "length" : "stop";
}

}  // namespace infermeter::sim
