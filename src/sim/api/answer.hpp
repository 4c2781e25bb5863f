// What one request is answered with, apart from how it is sent: its tokens, texts, phases and usage. Pure;
// one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/endpoint.hpp"
#include "sim/api/tokenizer.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/http/faults.hpp"

namespace infermeter::sim {

/// The words that answers are made of: one token each, chosen by the request's number, so that the engine's
/// prefix cache knows an answer before it is written. Pure; any thread.
class AnswerWords {
 public:
  /// Of the `choice`-th answer to the `number`-th request.
  AnswerWords(std::uint64_t number, std::uint32_t choice);
  /// The word that is the answer's token at `position`, with its leading space; JSON need not escape it.
  std::string_view word(std::uint32_t position) const;
  /// What the tokenizer makes of the first `count` words.
  void append_tokens(std::uint32_t count, Tokens& out) const;

 private:
  std::size_t index(std::uint32_t position) const;
  std::uint64_t first_;
};

struct GenerationSetup {
  ApiRequest request;
  Quirks quirks;
  AnswerIdentity identity;
  std::string request_id;                    // the client's X-Request-Id, or our own
  std::string session;                       // the client's id of a conversation; empty: none
  std::string headers;                       // whole lines for the answer's head, each with its CRLF
  std::vector<std::uint32_t> output_tokens;  // of each choice
  std::uint64_t number = 0;                  // order of arrival, from 0
  Framing framing = Framing::chunked;        // of a stream
  bool keep_alive = true;
  bool keep_events = false;
  std::time_t date = 0;
  std::uint64_t connection = 0;  // these as HttpRequest has them
  Instant arrived{}, received{};
};

/// What a token of an answer is: thought that does not show or does, a token without text, or text.
enum class Phase { hidden, reasoning, empty, text };

class Answer {
 public:
  struct Choice {
    AnswerWords words;
    std::uint32_t generated = 0;  // left the engine
    std::uint32_t in_events = 0;  // of those, in an event or hidden
    std::size_t text_bytes = 0;   // in events
    bool role_sent = false, text_begun = false, finish_sent = false;
    std::optional<std::uint32_t> cached = {};  // tokens of the prompt, once the engine has said so
    std::optional<RequestTruth> truth = {};    // once it has finished
  };

  explicit Answer(GenerationSetup setup);

  const GenerationSetup& setup() const { return setup_; }
  const ServedEndpoint& endpoint() const { return served_endpoint(setup_.request.endpoint); }
  bool streaming() const { return streaming_; }
  /// Of an endpoint whose streams have typed events.
  bool typed() const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(choices_.size()); }
  Choice& choice(std::uint32_t index) { return choices_[index]; }

  /// The engine is done with a choice.
  void finish(std::uint32_t index, const RequestTruth& truth);
  bool all_finished() const;
  /// Which part the `token`-th token of a choice belongs to, and the first token after that part.
  Phase phase_at(std::uint32_t index, std::uint32_t token, std::uint32_t& phase_end) const;
  std::uint32_t reasoning_tokens(std::uint32_t index) const;
  std::uint32_t planned_tokens() const;
  std::uint32_t prompt_tokens() const;
  std::uint32_t generated_tokens() const;
  std::string_view finish_reason(std::uint32_t index) const;

  /// Appends the words of `count` tokens from the `from`-th on; to `words` too, where they are asked for.
  void append_text(std::uint32_t index, std::uint32_t from, std::uint32_t count, std::string& out,
                   std::vector<std::string_view>& words) const;
  /// What stands before the first word.
  std::string opening_text(std::uint32_t index) const;
  Usage usage() const;
  /// Of the only choice; else, or unless `wanted`, nothing.
  std::optional<RequestTiming> timing(bool wanted) const;
  BodyChoice body_choice(std::uint32_t index) const;

 private:
  std::optional<std::uint32_t> cached_tokens() const;

  GenerationSetup setup_;
  bool streaming_;
  std::vector<Choice> choices_;
};

}  // namespace infermeter::sim
