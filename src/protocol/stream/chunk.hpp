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
};

struct ChunkChoice {
  std::uint32_t index = 0;
  bool visible = false;         // carries content, a refusal, a tool call, audio or text
  bool reasoning = false;       // carries reasoning
  std::uint32_t token_ids = 0;  // number of tokens listed; 0: none, or not listed
  std::uint32_t logprobs = 0;
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
  bool has_error = false;
  std::string_view error;    // its message, or its JSON text
  std::string_view message;  // a top-level "message" string, which is an error under `event: error`
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
