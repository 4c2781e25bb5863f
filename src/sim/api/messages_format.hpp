// The language of Anthropic's Messages API: named events, content blocks, usage that only grows.
#pragma once

#include "sim/api/stream_format.hpp"

namespace infermeter::sim {

class MessagesFormat final : public StreamFormat {
 public:
  explicit MessagesFormat(const AnswerIdentity& identity) : identity_(identity) {}
  void begin(EventSink&) override {}
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  enum class Block { none, thinking, text };
  void start_message(EventSink& sink, const Usage& usage);
  void open(EventSink& sink, Block block);
  void close(EventSink& sink);

  AnswerIdentity identity_;
  Block block_ = Block::none;
  std::uint64_t index_ = 0;  // of the open block, or of the next one
  bool started_ = false;
};

std::string messages_body(const AnswerIdentity& identity, const BodyChoice& choice, const Usage* usage);

}  // namespace infermeter::sim
