#include "protocol/stream/event_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMessageBytes = 1024;
constexpr std::size_t kNameBytes = 200;

// Finish reasons that mean that the server failed (vLLM and SGLang, OpenRouter, DeepSeek).
constexpr std::array<std::string_view, 3> kFailedFinishes{"abort", "error", "insufficient_system_resource"};

bool is_done(const SseEvent& event) { return event.data.starts_with("[DONE]"); }

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
  count_event();
  if (is_done(event)) return take_done();
  const Chunk* chunk = reader_->read(event.data);
  if (chunk != nullptr) return take_chunk(*chunk, event);
  if (event.name == "error") return fail(event.data);
  set_malformed(fmt::format("an event is no JSON object: {}", event.data.substr(0, kNameBytes)));
}

void EventFold::take_tail(const SseEvent& event) {
  record_->flags.set(Flag::unterminated_tail);
  const bool done = is_done(event);
  const Chunk* chunk = done ? nullptr : reader_->read(event.data);
  if (!done && chunk == nullptr) return;
  count_event();
  if (done) return take_done();
  take_chunk(*chunk, event);
}

bool EventFold::take_whole(std::string_view json) {
  const Chunk* chunk = reader_->read(json);
  if (chunk == nullptr) return false;
  if (chunk->has_error) fail(chunk->error);
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

void EventFold::count_event() {
  const Instant arrival = timeline_->begin_event();
  if (++events_ == 1) record_->first_event_us = timeline_->micros(arrival);
}

void EventFold::take_chunk(const Chunk& chunk, const SseEvent& event) {
  if (terminal_) {
    // Fireworks and others send usage and timings even after [DONE]; tokens after it would not belong to the
    // stream.
    record_->flags.set(Flag::data_after_done);
    return take_facts(chunk);
  }
  if (chunk.has_error) fail(chunk.error);
  if (event.name == "error" && !chunk.has_error) fail(chunk.message.empty() ? event.data : chunk.message);
  take_text(chunk);
  const bool sole = std::count_if(chunk.choices.begin(), chunk.choices.end(), bears_tokens) == 1;
  for (const auto& choice : chunk.choices) take_choice(chunk, choice, sole);
  take_facts(chunk);
  if (chunk.done) end_stream();
}

// Some servers send [DONE] after a typed terminal event too; a second [DONE] is data after the end.
void EventFold::take_done() {
  if (!terminal_ || done_seen_) end_stream();
  done_seen_ = true;
}

void EventFold::take_text(const Chunk& chunk) {
  for (const auto& piece : chunk.texts) text_.add(piece);
}

void EventFold::take_choice(const Chunk& chunk, const ChunkChoice& choice, bool sole) {
  Choice& state = choice_at(choice.index);
  state.pending += choice.token_ids;
  if (choice.bears_tokens()) {
    state.bore_tokens = true;
    visible_seen_ = visible_seen_ || choice.visible;
    reasoning_seen_ = reasoning_seen_ || choice.reasoning;
    timeline_->add_tokens(choice.index, tokens_of(chunk, choice, state, sole), choice.visible);
  }
  take_finish(state, choice.finish_reason);
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

void EventFold::take_finish(Choice& state, std::string_view reason) {
  if (reason.empty()) return;
  if (state.finished) record_->flags.set(Flag::duplicate_finish);
  state.finished = true;
  if (!any_finish_) record_->finish_reason = one_line(reason, kNameBytes);
  any_finish_ = true;
  filtered_ = filtered_ || reason == "content_filter";
  if (std::find(kFailedFinishes.begin(), kFailedFinishes.end(), reason) != kFailedFinishes.end()) {
    fail(fmt::format("finish_reason \"{}\"", reason));
  }
}

void EventFold::take_facts(const Chunk& chunk) {
  if (chunk.usage) keep_usage(chunk);
  if (chunk.cached_tokens) cached_tokens_ = chunk.cached_tokens;
  for (const auto& [name, json] : chunk.timings) timing_->add_field(name, json);
  if (record_->server_model.empty() && !chunk.model.empty()) {
    record_->server_model = one_line(chunk.model, kNameBytes);
  }
  if (record_->system_fingerprint.empty() && !chunk.fingerprint.empty()) {
    record_->system_fingerprint = one_line(chunk.fingerprint, kNameBytes);
  }
}

void EventFold::keep_usage(const Chunk& chunk) {
  if (!replaces(*chunk.usage, usage_)) return;
  if (chunk.usage_opens) opening_usage_.assign(chunk.usage_json);
  usage_ = opening_usage_.empty() ? chunk.usage : continued(*chunk.usage, usage_);
  usage_is_final_ = chunk.choices.empty() || any_finish_ || terminal_;
  record_->usage.assign(chunk.usage_json);
}

void EventFold::end_stream() {
  if (terminal_) return record_->flags.set(Flag::data_after_done);
  terminal_ = timeline_->latest();
  usage_is_final_ = usage_.has_value();
}

void EventFold::fail(std::string_view message) {
  if (terminal_ || failure_) return;
  failure_ = one_line(message, kMessageBytes);
  if (failure_->empty()) failure_ = "an error without a message";
}

void EventFold::set_malformed(const std::string& message) {
  if (terminal_) return record_->flags.set(Flag::data_after_done);
  if (!malformed_) malformed_ = one_line(message, kMessageBytes);
}

bool EventFold::finished() const {
  return any_finish_ && std::all_of(choices_.begin(), choices_.end(),
                                    [](const Choice& c) { return c.finished || !c.bore_tokens; });
}

EventFold::Choice& EventFold::choice_at(std::uint32_t index) {
  if (choices_.size() <= index) choices_.resize(index + 1);
  return choices_[index];
}

void EventFold::finish(bool streamed) {
  TokenEvidence evidence;
  evidence.usage = usage_;
  evidence.usage_is_final = usage_is_final_;
  evidence.reasoning_seen = reasoning_seen_;
  evidence.streamed = streamed;
  evidence.event_tokens_known = timeline_->tokens_known();
  evidence.event_tokens = timeline_->tokens();
  evidence.choices = static_cast<std::uint32_t>(choices_.size());
  evidence.max_tokens = options_.max_tokens;
  settle_tokens(evidence, *record_);
  if (!record_->cached_tokens) record_->cached_tokens = cached_tokens_;
  if (!options_.save_gaps) record_->gap_tokens.clear();
  timeline_->finish();
  record_->output_chars = text_.visible_chars();
  record_->text = text_.text();
  if (text_.ends_with_marker()) record_->flags.set(Flag::end_marker);
  record_->usage =
      opening_usage_.empty() ? compact_json(record_->usage) : overlaid_json(opening_usage_, record_->usage);
  record_->server = timing_->json();
}

}  // namespace infermeter
