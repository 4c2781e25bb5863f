// One generation request from its acceptance to the last byte: turns the engine's tokens into the bytes of a
// stream or a body, with the faults drawn for it. Pure: bytes go to an outbox, time is a parameter. One
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/answer.hpp"
#include "sim/http/outbox.hpp"

namespace infermeter::sim {

class Generation {
 public:
  explicit Generation(GenerationSetup setup);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  /// Sends the head of a stream at once; the head of a non-streamed answer comes with its body.
  void begin(Instant now);
  /// The number of prompt tokens found in the engine's cache; known once the choice has a first token.
  void on_cached(std::uint32_t choice, std::uint32_t tokens) { answer_.choice(choice).cached = tokens; }
  /// Tokens of one choice left the engine; `finished`, in wall time, is set with its last tokens.
  void on_tokens(std::uint32_t choice, std::uint32_t tokens, const RequestTruth* finished, Instant now);
  /// The time requested by `wake` has come.
  void on_time(Instant now);
  std::optional<Instant> wake() const;

  Reply& reply() { return reply_; }
  const Reply& reply() const { return reply_; }
  const Answer& answer() const { return answer_; }
  const GenerationSetup& setup() const { return answer_.setup(); }
  /// No more tokens are needed: all are there, or a fault cut the answer.
  bool over() const { return over_; }
  bool was_cut() const { return cut_done_ && setup().quirks.cut != Cut::stall; }

 private:
  struct Held {  // tokens that came during a stall
    std::uint32_t choice, tokens;
    std::optional<RequestTruth> finished;
  };

  void take(std::uint32_t choice, std::uint32_t tokens, const RequestTruth* finished, Instant now);
  void stream_tokens(std::uint32_t choice, std::uint32_t tokens, bool last);
  void write_event(std::uint32_t choice, Phase phase, std::uint32_t tokens, bool last);
  void write_role(std::uint32_t choice);
  void write_delta(Delta delta);
  void write_finish(std::uint32_t choice);
  void finish_stream();
  void cut_stream();
  void write_body();
  std::string body() const;
  void write_whole(int status, const std::string& body, std::size_t shown);
  void end(Ending ending);
  void end_well();
  void release(Instant now);
  bool reaches_cut(std::uint32_t tokens) const;

  Answer answer_;
  Reply reply_;
  EventSink sink_;
  std::unique_ptr<StreamFormat> format_;
  std::string text_;                     // scratch, so that a token allocates nothing
  std::vector<std::string_view> words_;  // of `text_`, where log probabilities are requested
  std::vector<Held> held_;
  bool over_ = false, cut_done_ = false;
  std::optional<Instant> stalled_until_, split_due_, heartbeat_due_, burst_due_;
};

}  // namespace infermeter::sim
