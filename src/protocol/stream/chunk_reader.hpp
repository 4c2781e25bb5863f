// What the JSON of every endpoint has in common: usage, errors, the server's own times, pieces of text. The
// readers of the endpoints build on it, each knowing only its own shapes. Private to this floor: the room of
// simdjson.
#pragma once

#include <string_view>

#include "protocol/stream/chunk.hpp"
#include "protocol/stream/json_walk.hpp"

namespace infermeter {

class ChunkReader : public AnswerReader, protected JsonWalk {
 public:
  const Chunk* read(std::string_view json) final;

 protected:
  /// Fills the empty `chunk_`; false if `json` is not one JSON object.
  virtual bool read_chunk(std::string_view json) = 0;
  /// Usage, the model, an error, a time of the server's own: what stands at the top of any answer.
  void read_fact(std::string_view key, Value& value);
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

}  // namespace infermeter
