// The content of one answer, apart from how it is sent: tokens, texts, phases and usage. Pure; one thread.
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

/// The words of answers: one token each, chosen by the request's number, so that the engine's prefix cache
/// knows an answer before it is written. Pure; any thread.
class AnswerWords {
 public:
  /// The words of the `choice`-th answer to the `number`-th request.
  AnswerWords(std::uint64_t number, std::uint32_t choice);
  /// The word of the answer's token at `position`, with its leading space; it needs no JSON escaping.
  std::string_view word(std::uint32_t position) const;
  /// Appends the tokens that the tokenizer makes of the first `count` words.
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
  std::vector<std::uint32_t> output_tokens;  // one per choice
  std::uint64_t number = 0;                  // order of arrival, from 0
  Framing framing = Framing::chunked;        // framing of a stream
  bool keep_alive = true;
  bool keep_events = false;
  std::time_t date = 0;
  std::uint64_t connection = 0;  // these three as in HttpRequest
  Instant arrived{}, received{};
};

/// The part of an answer that a token belongs to: hidden or visible reasoning, a token without text, or text.
enum class Phase { hidden, reasoning, empty, text };

class Answer {
 public:
  struct Choice {
    AnswerWords words;
    std::uint32_t generated = 0;  // tokens that left the engine
    std::uint32_t in_events = 0;  // of those, tokens sent in events or hidden
    std::size_t text_bytes = 0;   // bytes of text sent in events
    bool role_sent = false, text_begun = false, finish_sent = false;
    std::optional<std::uint32_t> cached =
        {};                                  // cached tokens of the prompt, once the engine has reported them
    std::optional<RequestTruth> truth = {};  // once it has finished
  };

  explicit Answer(GenerationSetup setup);

  const GenerationSetup& setup() const { return setup_; }
  const ServedEndpoint& endpoint() const { return served_endpoint(setup_.request.endpoint); }
  bool streaming() const { return streaming_; }
  /// Whether the endpoint's streams have typed events.
  bool typed() const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(choices_.size()); }
  Choice& choice(std::uint32_t index) { return choices_[index]; }

  /// The engine has finished a choice.
  void finish(std::uint32_t index, const RequestTruth& truth);
  bool all_finished() const;
  /// The phase of the `token`-th token of a choice; sets `phase_end` to the first token after that phase.
  Phase phase_at(std::uint32_t index, std::uint32_t token, std::uint32_t& phase_end) const;
  std::uint32_t reasoning_tokens(std::uint32_t index) const;
  std::uint32_t planned_tokens() const;
  std::uint32_t prompt_tokens() const;
  std::uint32_t generated_tokens() const;
  std::string_view finish_reason(std::uint32_t index) const;

  /// Appends the words of `count` tokens, starting at token `from`; adds them to `words` too where log
  /// probabilities are requested.
  void append_text(std::uint32_t index, std::uint32_t from, std::uint32_t count, std::string& out,
                   std::vector<std::string_view>& words) const;
  /// The text before the first word.
  std::string opening_text(std::uint32_t index) const;
  Usage usage() const;
  /// Timing of the only choice; nothing if there are several choices or `wanted` is false.
  std::optional<RequestTiming> timing(bool wanted) const;
  BodyChoice body_choice(std::uint32_t index) const;

 private:
  std::optional<std::uint32_t> cached_tokens() const;

  GenerationSetup setup_;
  bool streaming_;
  std::vector<Choice> choices_;
};

}  // namespace infermeter::sim
