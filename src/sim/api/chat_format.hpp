// The language of chat completions and of text completions, as vLLM and OpenAI speak it.
#pragma once

#include "sim/api/stream_format.hpp"

namespace infermeter::sim {

class ChatFormat final : public StreamFormat {
 public:
  explicit ChatFormat(const AnswerIdentity& identity);
  void begin(EventSink&) override {}
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  void append_choice(std::string& out, const Delta& delta) const;
  void append_logprobs(std::string& out, const Delta& delta) const;
  void say_done(EventSink& sink) const;

  bool chat_;
  std::string id_;
  std::optional<std::uint32_t> top_logprobs_;
  std::string head_;  // up to the list of choices
};

std::string chat_body(const AnswerIdentity& identity, const std::vector<BodyChoice>& choices,
                      const Usage* usage, const RequestTiming* timing);

}  // namespace infermeter::sim
