// The language of OpenAI's Responses API: typed and numbered events around items, parts and their deltas.
#pragma once

#include "sim/api/stream_format.hpp"

namespace infermeter::sim {

class ResponsesFormat final : public StreamFormat {
 public:
  explicit ResponsesFormat(const AnswerIdentity& identity) : identity_(identity) {}
  void begin(EventSink& sink) override;
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  std::string& begin_event(EventSink& sink, std::string_view type);
  void tell_response(EventSink& sink, std::string_view type, std::string_view response, EventKind kind);
  std::string& begin_item_event(EventSink& sink, std::string_view type);
  std::string& begin_part_event(EventSink& sink, std::string_view type);
  void open(EventSink& sink, std::size_t item_kind);
  void close(EventSink& sink, std::string_view status);

  AnswerIdentity identity_;
  std::uint64_t sequence_ = 0;       // of the next event
  std::optional<std::size_t> item_;  // kind of the open one
  std::uint64_t items_ = 0;          // finished
  std::string text_;                 // of the open item
  std::string output_;               // the finished items, joined
};

std::string responses_body(const AnswerIdentity& identity, const BodyChoice& choice, const Usage* usage,
                           const RequestTiming* timing);

}  // namespace infermeter::sim
