// Accumulates the events of one response: tokens, finish, usage, failure. One per response.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/stream/chunk.hpp"
#include "protocol/stream/event_evidence.hpp"
#include "protocol/stream/output_text.hpp"
#include "protocol/stream/server_timing.hpp"
#include "protocol/stream/sse_parser.hpp"
#include "protocol/stream/token_timeline.hpp"
#include "protocol/stream/usage.hpp"

namespace infermeter {

class EventFold {
 public:
  /// All references must outlive the fold.
  EventFold(ChunkParser& parser, const StreamOptions& options, TokenTimeline& timeline, ServerTiming& timing,
            RequestRecord& record);

  /// Takes an event of the timeline's current read.
  void take(const SseEvent& event);
  /// Takes the last event, which no blank line ended: counted if it is complete, omitted if it was cut.
  void take_tail(const SseEvent& event);
  /// The arrival of what waits for its blank line, in case its event turns out to have ended before it.
  void hold(Instant arrival) { held_ = arrival; }
  /// Takes a non-streamed answer: no event, no arrivals. False if it is not a JSON object.
  bool take_whole(std::string_view json);
  /// Whether a single line is a chunk of a stream (NDJSON) rather than a non-streamed answer.
  bool is_stream_chunk(std::string_view line);
  /// Writes text, counts and raw JSON into the record; the answer is over.
  void finish(bool streamed);

  bool terminal() const { return terminal_.has_value(); }
  std::optional<Instant> terminal_at() const { return terminal_; }
  /// At least one finish reason came, and every choice that carried tokens has its own.
  bool finished() const;
  bool any_finish() const { return any_finish_; }
  bool has_usage() const { return usage_.has_value(); }
  /// Usage came with or after the finish.
  bool has_final_usage() const { return has_usage() && usage_is_final_; }
  bool filtered() const { return filtered_; }
  bool visible_seen() const { return visible_seen_; }
  std::uint64_t events() const { return events_; }
  /// The server reported a failure; its message.
  const std::optional<std::string>& failure() const { return rest_->failure; }
  /// The first event that could not be read, in a message.
  const std::optional<std::string>& malformed() const { return rest_->malformed; }
  /// What came of the last event, if it was cut.
  std::string_view cut() const { return rest_->cut; }
  void set_malformed(const std::string& message);

 private:
  struct Choice {
    bool bore_tokens = false, finished = false;
    bool opened = false;        // its first event has come, which may hold only the role
    bool usage_missed = false;  // an event without usage: differences no longer belong to one event
    bool by_message = false;    // its tokens came in messages, not in deltas
    std::int64_t counted = 0;   // completion tokens so far, by continuous usage
    std::int64_t pending = 0;   // listed token ids whose text has not arrived yet
    std::array<std::uint64_t, 2> bytes{};  // of its text: visible, reasoning
  };

  /// What most responses do not need.
  struct Rest {
    std::optional<std::string> failure, malformed;
    std::string cut;             // the last event, if it was cut
    std::string echo;            // text that the next deltas may repeat
    std::string opening_usage;   // as JSON text: later ones need not repeat its fields
    std::optional<Usage> timed;  // llama.cpp's counts beside its times
    std::array<std::array<std::uint64_t, 2>, 3> told{};  // bytes of finished texts, parts, items
  };

  void count_event(const SseEvent& event);
  void take_chunk(const Chunk& chunk);
  void take_unusual(const SseEvent& event, const Chunk* chunk);
  void take_unreadable(const SseEvent& event);
  bool take_objects(const SseEvent& event);
  void take_done();
  void take_text(const Chunk& chunk);
  bool repeats(const Chunk& chunk);
  bool echoes(const Chunk& chunk);
  bool is_new_message(const Chunk& chunk);
  bool is_news(const Chunk& chunk);
  void take_choice(const Chunk& chunk, const ChunkChoice& choice, bool sole);
  std::int64_t tokens_of(const Chunk& chunk, const ChunkChoice& choice, Choice& state, bool sole) const;
  void take_textless(const Chunk& chunk, const ChunkChoice& choice, Choice& state);
  void take_finish(Choice& state, std::string_view reason);
  std::string shown_reason(std::string_view reason) const;
  void take_facts(const Chunk& chunk);
  void keep_usage(const Chunk& chunk);
  void end_stream();
  void fail(const std::string& message);
  Usage timed_usage() const;
  void settle_flags();
  void keep_evidence(const TokenEvidence& evidence);
  Choice& choice_at(std::uint32_t index) {
    return index < choices_.size() ? choices_[index] : new_choice(index);
  }
  Choice& new_choice(std::uint32_t index);

  AnswerReader* reader_;
  StreamOptions options_;
  TokenTimeline* timeline_;
  ServerTiming* timing_;
  RequestRecord* record_;

  OutputText text_;
  EvidenceCounter evidence_;
  std::vector<Choice> choices_;
  std::optional<Usage> usage_;
  std::optional<std::int64_t> cached_tokens_;
  std::uint32_t unknown_ = 0, sealed_ = 0;  // events with no text but one that cannot be read
  Instant held_{};
  std::uint64_t events_ = 0;
  bool any_finish_ = false, filtered_ = false, visible_seen_ = false, reasoning_seen_ = false;
  bool done_seen_ = false, usage_is_final_ = false;
  bool echoing_ = false;      // the next deltas may repeat the beginning of their block
  bool only_reason_ = false;  // the failure is known by its finish reason only
  std::optional<Instant> terminal_;
  Rare<Rest> rest_;
};

}  // namespace infermeter
