// What the JSON of every endpoint has in common: usage, errors, the server's own times, pieces of text. The
// readers of the endpoints build on it, each knowing only its own shapes. Private to this folder: the room of
// simdjson.
#pragma once

#include <string_view>

#include "protocol/stream/chunk.hpp"
#include "protocol/stream/json_walk.hpp"

namespace infermeter {

class ChunkReader : protected JsonWalk {
 public:
  const Chunk& chunk() const { return chunk_; }

 protected:
  /// Null, false and "" are none.
  void read_error(Value& value);
  void read_usage(Value& value);
  void read_timing(std::string_view key, Value& value);
  /// True for the fields of section 2 of STREAMING.md that stand beside usage.
  static bool is_timing(std::string_view key);
  std::uint32_t elements_of(Value& value);
  /// `reasoning` counts as such, every other kind is visible; an empty piece is none.
  void add_text(ChunkChoice& choice, TokenKind kind, std::string_view piece);
  ChunkChoice& choice_zero();

  Chunk chunk_;

 private:
  void read_usage_field(Usage& usage, std::string_view key, Value& value);
  void read_cost(Usage& usage, Value& value);
};

/// `choices[]` of chat and completions; Ollama's and Cloudflare's own shapes.
class ChatReader : public ChunkReader {
 public:
  /// False if it is not one JSON object.
  bool read(std::string_view json);

 private:
  void read_root(std::string_view key, Value& value);
  void read_native(std::string_view key, Value& value);
  void read_groq(Value& value);
  void read_choice(Value& value);
  std::uint32_t read_logprobs(Value& value);
  void read_delta(ChunkChoice& choice, Value& value);
  void read_content(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_part(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_tool_call(ChunkChoice& choice, Value& value);
  void read_function(ChunkChoice& choice, Value& value);
  void read_audio(ChunkChoice& choice, Value& value);

  bool flat_error_ = false;
};

/// Typed events of the Responses API, and its whole answer.
class ResponsesReader : public ChunkReader {
 public:
  bool read(std::string_view json);

 private:
  void read_root(std::string_view key, Value& value);
  void read_response(std::string_view key, Value& value);
  void read_item(Value& value);
  void read_output(Value& value);
  void read_parts(Value& value, TokenKind kind);
  void take_event();
  void take_status();

  // Fields come in any order (pydantic's puts `type` last): they are told apart when all are read.
  std::string_view type_, delta_, item_name_, status_, reason_, code_;
  std::uint32_t logprobs_ = 0;
};

/// Named events of Anthropic's Messages API, and its whole answer.
class MessagesReader : public ChunkReader {
 public:
  bool read(std::string_view json);

 private:
  void read_root(std::string_view key, Value& value);
  void read_message(std::string_view key, Value& value);
  void read_block(Value& value);
  void read_stop(std::string_view reason);
  void settle_usage();

  std::string_view type_;
};

/// One answer of vectors: they are counted and passed over, never parsed.
class EmbeddingsReader : public ChunkReader {
 public:
  bool read(std::string_view json);

 private:
  void read_vector(Value& value);
};

}  // namespace infermeter
