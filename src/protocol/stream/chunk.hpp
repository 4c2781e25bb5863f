// One JSON chunk of a stream, or one non-streamed answer, of any endpoint → the fields that a benchmark
// needs. Implemented with simdjson, whose types do not appear here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/stream/stream_reader.hpp"
#include "protocol/stream/usage.hpp"

namespace infermeter {

enum class TokenKind : std::uint8_t { content, reasoning, refusal, tool_call, audio };

/// A piece of a choice's non-empty text.
struct ChunkText {
  std::uint32_t choice = 0;
  TokenKind kind = TokenKind::content;
  std::string_view text;
  bool name = false;  // a tool's name, which no end of a text repeats
};

/// Text that may repeat what came before.
enum class Repeat : std::uint8_t {
  none,
  text,     // Responses: the end of a text
  part,     // … of a content part
  item,     // … of an output item
  whole,    // the whole answer so far: a message instead of a delta, response.completed
  opening,  // Anthropic: the text with which a block begins, which some servers then stream
};

struct ChunkChoice {
  std::uint32_t index = 0;
  bool visible = false;         // carries content, a refusal, a tool call, audio or text
  bool reasoning = false;       // carries reasoning
  std::uint32_t token_ids = 0;  // number of tokens listed; 0: none, or not listed
  std::uint32_t logprobs = 0;
  bool message = false;  // its text is in a message, not in a delta
  bool unknown = false;  // carries a text in a member that is not known
  bool sealed = false;   // carries reasoning that only the server can read
  std::string_view finish_reason;
  bool bears_tokens() const { return visible || reasoning; }
};

struct Chunk {
  std::vector<ChunkChoice> choices;
  std::vector<ChunkText> texts;
  std::optional<Usage> usage;
  std::string_view usage_json;
  bool usage_opens = false;           // Anthropic's first usage: later ones are cumulative from it
  std::optional<std::int64_t> items;  // embeddings: vectors
  std::vector<std::pair<std::string_view, std::string_view>>
      timings;                                // the server's own times: name, JSON text
  std::optional<std::int64_t> cached_tokens;  // sent beside usage (llama.cpp)
  std::optional<Usage> timed;                 // counts that llama.cpp sends with its times
  Repeat repeat = Repeat::none;
  bool message = false;  // the text of a choice is in a message, not in a delta
  bool has_error = false;
  bool ordinary = false;  // no error, and what a stream of this endpoint consists of
  std::string_view model, fingerprint;
  bool is_delta =
      false;          // has the format of a stream: choices[].delta, a typed event, Ollama's `done: false`
  bool done = false;  // a terminal event: response.completed, message_stop, Ollama's last line

  void clear();
};

/// Reads the JSON of one endpoint's answers.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  /// Parses a chunk of a stream, or a non-streamed answer. Null if `json` is not one JSON object. The chunk
  /// and its views are valid until the next call. Allocates only to grow.
  virtual const Chunk* read(std::string_view json) = 0;
};

class ChunkParser {
 public:
  /// The parser for responses of that endpoint.
  AnswerReader& reader(Endpoint endpoint);

 private:
  std::array<std::unique_ptr<AnswerReader>, kEndpoints.size()> readers_;
};

}  // namespace infermeter
