#include "protocol/stream/event_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nesting.hpp"
#include "base/text.hpp"
#include "protocol/http/loose_json.hpp"
#include "protocol/http/server_words.hpp"
#include "protocol/stream/finish_reason.hpp"
#include "protocol/stream/keep_alive.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMessageBytes = 1024;
constexpr std::size_t kNameBytes = 200;

bool is_done(const SseEvent& event) { return event.data.starts_with("[DONE]"); }

/// Named by the server as a failure: "error", "upstream_error".
bool is_error_name(std::string_view name) {
  return !name.empty() && (name.ends_with("error") || name == "exception");
}

/// 0 for text that people see, 1 for reasoning.
std::size_t class_of(TokenKind kind) { return kind == TokenKind::reasoning ? 1 : 0; }

bool bears_tokens(const ChunkChoice& choice) { return choice.bears_tokens(); }

}  // namespace

EventFold::EventFold(ChunkParser& parser, const StreamOptions& options, TokenTimeline& timeline,
                     ServerTiming& timing, RequestRecord& record)
    : reader_(&parser.reader(options.endpoint)),
      options_(options),
      timeline_(&timeline),
      timing_(&timing),
      record_(&record),
      text_(options.save_text) {}

void EventFold::take(const SseEvent& event) {
  if (is_done(event)) {
    count_event(event);
    if (is_error_name(event.name)) fail({});
    return take_done();
  }
  const Chunk* chunk = reader_->read(event.data);
  if (chunk == nullptr || !chunk->ordinary || is_error_name(event.name)) return take_unusual(event, chunk);
  count_event(event);
  take_chunk(*chunk);
}

void EventFold::take_tail(const SseEvent& event) {
  record_->flags.set(Flag::unterminated_tail);
  const bool done = is_done(event);
  const Chunk* chunk = done ? nullptr : reader_->read(event.data);
  if (done || chunk != nullptr || is_error_name(event.name)) return take(event);
  if (!take_objects(event)) rest_.write().cut = options_.secrets.mask_front(event.data, kNameBytes);
}

// An error, an event of a type that is not known, or one that is no JSON object.
void EventFold::take_unusual(const SseEvent& event, const Chunk* chunk) {
  const bool object = chunk != nullptr;
  const bool alive = is_keep_alive_name(event.name);
  const bool asks = object && !chunk->ordinary && !alive;
  const bool failed = object && (chunk->has_error || (asks && reports_failure(event.data)));
  if (failed || is_error_name(event.name)) {
    count_event(event);
    fail(server_words(event.data, options_.secrets));
    if (object) take_chunk(*chunk);
  } else if (object) {
    if (alive) return;
    count_event(event);
    take_chunk(*chunk);
  } else if (!take_objects(event) && !is_keep_alive(event)) {
    count_event(event);
    take_unreadable(event);
  }
}

// Objects inside the data of an event: encoded twice, in a list, after an event that was cut. False if there
// is none.
bool EventFold::take_objects(const SseEvent& event) {
  if (is_done_text(event.data)) {
    count_event(event);
    take_done();
    return true;
  }
  const auto objects = objects_in(event.data);
  for (const auto& text : objects) {
    const SseEvent inner{event.name, text, event.earlier};
    if (const Chunk* chunk = reader_->read(text)) {
      if (!chunk->ordinary) {
        take_unusual(inner, chunk);
      } else {
        count_event(inner);
        take_chunk(*chunk);
      }
    }
  }
  return !objects.empty();
}

void EventFold::take_unreadable(const SseEvent& event) {
  const std::string what =
      is_too_deep(event.data) ? too_deep_words(json_levels(event.data)) : std::string("no JSON object");
  set_malformed(fmt::format("an event is {}: {}", what, options_.secrets.mask_front(event.data, kNameBytes)));
}

bool EventFold::take_whole(std::string_view json) {
  const Chunk* chunk = reader_->read(json);
  if (chunk == nullptr) {
    const auto objects = objects_in(json);
    const auto failed = std::find_if(objects.begin(), objects.end(), reports_failure);
    if (failed != objects.end()) fail(server_words(*failed, options_.secrets));
    if (is_too_deep(json)) set_malformed(fmt::format("the answer is {}", too_deep_words(json_levels(json))));
    return false;
  }
  if (chunk->has_error || (!chunk->ordinary && reports_failure(json)))
    fail(server_words(json, options_.secrets));
  take_text(*chunk);
  for (const auto& choice : chunk->choices) {
    visible_seen_ = visible_seen_ || choice.visible;
    reasoning_seen_ = reasoning_seen_ || choice.reasoning;
    take_finish(choice_at(choice.index), choice.finish_reason);
  }
  take_facts(*chunk);
  usage_is_final_ = usage_.has_value();
  record_->items = chunk->items;
  return true;
}

bool EventFold::is_stream_chunk(std::string_view line) {
  const Chunk* chunk = reader_->read(line);
  return chunk != nullptr && chunk->is_delta;
}

void EventFold::count_event(const SseEvent& event) {
  const Instant arrival = event.earlier ? timeline_->begin_event_before(held_) : timeline_->begin_event();
  if (++events_ == 1) record_->first_event_us = timeline_->micros(arrival);
}

void EventFold::take_chunk(const Chunk& chunk) {
  if (terminal_) {
    // Fireworks and others send usage and timings even after [DONE]; tokens after it would not belong to the
    // stream.
    record_->flags.set(Flag::data_after_done);
    return take_facts(chunk);
  }
  const bool may_repeat = chunk.repeat != Repeat::none || chunk.message || echoing_;
  if (!may_repeat || !repeats(chunk)) {
    take_text(chunk);
    const bool sole = std::count_if(chunk.choices.begin(), chunk.choices.end(), bears_tokens) == 1;
    for (const auto& choice : chunk.choices) take_choice(chunk, choice, sole);
  } else {
    for (const auto& choice : chunk.choices) take_finish(choice_at(choice.index), choice.finish_reason);
  }
  take_facts(chunk);
  if (chunk.done) end_stream();
}

// Some servers send [DONE] after a typed terminal event too; a second [DONE] is data after the end.
void EventFold::take_done() {
  if (!terminal_ || done_seen_) end_stream();
  done_seen_ = true;
}

void EventFold::take_text(const Chunk& chunk) {
  for (const auto& piece : chunk.texts) {
    text_.add(piece);
    evidence_.add_text(piece.text, record_->events == 0);
    if (!piece.name) choice_at(piece.choice).bytes[class_of(piece.kind)] += piece.text.size();
  }
}

// Whether all of an event's text came before.
bool EventFold::repeats(const Chunk& chunk) {
  if (chunk.texts.empty()) return false;
  if (echoing_ && echoes(chunk)) return true;
  if (chunk.repeat == Repeat::opening) {
    for (const auto& piece : chunk.texts) rest_.write().echo.append(piece.text);
    echoing_ = true;
    return false;
  }
  if (chunk.repeat == Repeat::none) return chunk.message && !is_new_message(chunk);
  return !is_news(chunk);
}

// A block may begin with text that its first deltas send again.
bool EventFold::echoes(const Chunk& chunk) {
  const auto text = chunk.texts.front().text;
  std::string& echo = rest_.write().echo;
  const bool same = echo.starts_with(text);
  echo.erase(0, same ? text.size() : echo.size());
  echoing_ = !echo.empty();
  return same;
}

// Some servers stream pieces in messages instead of deltas. After deltas a message is the whole answer, and
// so is the last one if it is as long as all before it.
bool EventFold::is_new_message(const Chunk& chunk) {
  const ChunkChoice& first = chunk.choices.front();
  Choice& choice = choice_at(first.index);
  if (!choice.by_message && choice.bore_tokens) return false;
  choice.by_message = true;
  std::array<std::uint64_t, 2> bytes{};
  for (const auto& piece : chunk.texts) bytes[class_of(piece.kind)] += piece.text.size();
  return first.finish_reason.empty() || record_->events < 2 || bytes[0] != choice.bytes[0];
}

// A finished text is news if all text that came so far belongs to others that finished before it, a whole
// answer if none came.
bool EventFold::is_news(const Chunk& chunk) {
  bool news = false;
  for (const auto& piece : chunk.texts) {
    if (piece.name) continue;
    const std::size_t kind = class_of(piece.kind);
    const std::uint64_t bytes = choice_at(piece.choice).bytes[kind];
    if (chunk.repeat == Repeat::whole) {
      news = news || bytes == 0;
      continue;
    }
    auto& told = rest_.write().told[static_cast<std::size_t>(chunk.repeat) - 1][kind];
    news = news || bytes <= told;
    told += piece.text.size();
  }
  return news;
}

void EventFold::take_choice(const Chunk& chunk, const ChunkChoice& choice, bool sole) {
  Choice& state = choice_at(choice.index);
  state.pending += choice.token_ids;
  if (choice.bears_tokens()) {
    state.bore_tokens = true;
    visible_seen_ = visible_seen_ || choice.visible;
    reasoning_seen_ = reasoning_seen_ || choice.reasoning;
    timeline_->add_tokens(choice.index, tokens_of(chunk, choice, state, sole), choice.visible);
  } else {
    take_textless(chunk, choice, state);
  }
  take_finish(state, choice.finish_reason);
}

// The first event of a choice without text holds its role, and is no token.
void EventFold::take_textless(const Chunk& chunk, const ChunkChoice& choice, Choice& state) {
  if (choice.unknown || choice.sealed) {
    ++(choice.sealed ? sealed_ : unknown_);
  } else if (choice.finish_reason.empty() && chunk.timings.empty() &&
             (state.bore_tokens || std::exchange(state.opened, true))) {
    evidence_.add_bare();
  }
}

// Token ids, else the difference of continuous usage, else log probabilities (which some servers omit for
// special tokens); 0 if there is none of these. Tokens that came without text are counted with the text after
// them.
std::int64_t EventFold::tokens_of(const Chunk& chunk, const ChunkChoice& choice, Choice& state,
                                  bool sole) const {
  const std::int64_t listed = std::exchange(state.pending, 0);
  std::int64_t difference = 0;
  if (sole && chunk.usage && chunk.usage->completion) {
    difference = *chunk.usage->completion - state.counted;
    state.counted = *chunk.usage->completion;
  } else {
    state.usage_missed = true;
  }
  if (listed > 0) return listed;
  if (difference > 0 && !state.usage_missed) return difference;
  return choice.logprobs;
}

// A known reason is never a secret, even if it is somebody's key.
std::string EventFold::shown_reason(std::string_view reason) const {
  if (is_known_reason(reason)) return std::string(reason);
  return one_line(options_.secrets.mask_front(reason, kNameBytes), kNameBytes);
}

void EventFold::take_finish(Choice& state, std::string_view reason) {
  if (reason.empty()) return;
  if (state.finished) record_->flags.set(Flag::duplicate_finish);
  state.finished = true;
  if (!any_finish_) record_->finish_reason = shown_reason(reason);
  any_finish_ = true;
  const FinishKind kind = finish_kind(reason);
  filtered_ = filtered_ || kind == FinishKind::filtered;
  if (kind != FinishKind::failed || rest_->failure) return;
  fail(fmt::format("finish_reason \"{}\"", shown_reason(reason)));
  only_reason_ = true;
}

void EventFold::take_facts(const Chunk& chunk) {
  if (chunk.usage) keep_usage(chunk);
  if (chunk.cached_tokens) cached_tokens_ = chunk.cached_tokens;
  if (chunk.timed) rest_.write().timed = chunk.timed;
  for (const auto& [name, json] : chunk.timings) timing_->add_field(name, json);
  if (record_->server_model.empty() && !chunk.model.empty()) {
    record_->server_model = one_line(options_.secrets.mask_front(chunk.model, kNameBytes), kNameBytes);
  }
  if (record_->system_fingerprint.empty() && !chunk.fingerprint.empty()) {
    record_->system_fingerprint =
        one_line(options_.secrets.mask_front(chunk.fingerprint, kNameBytes), kNameBytes);
  }
}

void EventFold::keep_usage(const Chunk& chunk) {
  if (!replaces(*chunk.usage, usage_)) {
    // Some servers count the answer in the first usage and the prompt in the last.
    if (!usage_->prompt && chunk.usage->prompt) {
      rest_.write().opening_usage.assign(chunk.usage_json);
      usage_ = continued(*usage_, chunk.usage);
    }
    return;
  }
  const bool split = usage_ && usage_->prompt && !chunk.usage->prompt;
  if (chunk.usage_opens) rest_.write().opening_usage.assign(chunk.usage_json);
  if (split && rest_->opening_usage.empty()) rest_.write().opening_usage = record_->usage;
  usage_ = continued(*chunk.usage, usage_);
  usage_is_final_ = chunk.choices.empty() || any_finish_ || terminal_;
  record_->usage.assign(chunk.usage_json);
}

void EventFold::end_stream() {
  if (terminal_) return record_->flags.set(Flag::data_after_done);
  terminal_ = timeline_->latest();
  usage_is_final_ = usage_.has_value();
}

// The server's own words replace a finish reason that says less.
void EventFold::fail(const std::string& message) {
  if (terminal_ || (rest_->failure && !only_reason_)) return;
  only_reason_ = false;
  std::string words = one_line(message, kMessageBytes);
  rest_.write().failure = words.empty() ? "an error without a message" : std::move(words);
}

void EventFold::set_malformed(const std::string& message) {
  if (terminal_) return record_->flags.set(Flag::data_after_done);
  if (!rest_->malformed) rest_.write().malformed = one_line(message, kMessageBytes);
}

// Some of what the server counted came in no event: there is none, there are too few bytes for the tokens, or
// what came cannot be read. Then neither the first token nor the speed is known.
void EventFold::settle_flags() {
  if (!record_->output_tokens || record_->token_source == TokenSource::events) return;
  const std::int64_t streamed = *record_->output_tokens - record_->unstreamed_tokens.value_or(0);
  const auto ends = static_cast<std::int64_t>(std::max<std::size_t>(choices_.size(), 1));
  std::uint64_t bytes = 0;
  for (const auto& choice : choices_) bytes += choice.bytes[0] + choice.bytes[1];
  constexpr std::int64_t silent = 64;  // tokens that have no text: ends, marks around reasoning
  const bool beyond_text = streamed > static_cast<std::int64_t>(bytes) + silent;
  // One event with an unknown member may be a remark of a gateway's; sealed reasoning may be counted.
  const bool sealed = sealed_ > 0 && record_->reasoning_tokens.value_or(0) == 0;
  const bool unread = (sealed || unknown_ > 1) && streamed > std::int64_t{record_->events} + ends;
  const bool nothing = record_->events == 0 && streamed > ends;
  const bool odd = rest_->malformed && streamed > std::int64_t{record_->events};
  if (odd || beyond_text || unread || nothing) record_->flags.set(Flag::uncarried_tokens);
}

bool EventFold::finished() const {
  return any_finish_ && std::all_of(choices_.begin(), choices_.end(),
                                    [](const Choice& c) { return c.finished || !c.bore_tokens; });
}

EventFold::Choice& EventFold::new_choice(std::uint32_t index) {
  choices_.resize(index + 1);
  return choices_[index];
}

// llama.cpp's prompt_n leaves out what was in its cache.
Usage EventFold::timed_usage() const {
  Usage usage = *rest_->timed;
  if (usage.prompt) *usage.prompt += cached_tokens_.value_or(0);
  return usage;
}

void EventFold::keep_evidence(const TokenEvidence& evidence) {
  const bool counted = evidence.event_tokens_known &&
                       static_cast<std::int64_t>(evidence.event_tokens) <= record_->output_tokens.value_or(0);
  evidence_.keep(choices_.size(), counted ? timeline_->first_tokens() : 0, *record_);
}

void EventFold::finish(bool streamed) {
  TokenEvidence evidence;
  evidence.usage = usage_;
  if (!usage_ && rest_->timed) evidence.usage = timed_usage();
  evidence.usage_is_final = usage_is_final_ || !usage_;
  evidence.reasoning_seen = reasoning_seen_;
  evidence.streamed = streamed;
  evidence.event_tokens_known = timeline_->tokens_known();
  evidence.event_tokens = timeline_->tokens();
  evidence.choices = static_cast<std::uint32_t>(std::count_if(
      choices_.begin(), choices_.end(), [](const Choice& c) { return c.bore_tokens || c.finished; }));
  evidence.max_tokens = options_.max_tokens;
  evidence.most_tokens = options_.most_tokens;
  evidence.cached_beside = cached_tokens_;
  settle_tokens(evidence, *record_);
  if (streamed) settle_flags();
  if (!options_.save_gaps) record_->gap_tokens.clear();
  if (streamed) keep_evidence(evidence);
  timeline_->finish();
  record_->output_chars = text_.visible_chars();
  record_->text = text_.text(options_.secrets);
  if (text_.ends_with_marker()) record_->flags.set(Flag::end_marker);
  record_->usage = rest_->opening_usage.empty() ? compact_json(record_->usage)
                                                : overlaid_json(rest_->opening_usage, record_->usage);
  record_->usage = options_.secrets.mask_json(std::move(record_->usage));
  record_->server = timing_->json();
}

}  // namespace infermeter
